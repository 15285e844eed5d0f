package dev.runnel.service.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Namespaces created by [bubblewrap](https://github.com/containers/bubblewrap). The machine is
/// readable; writable are the run's workspace, a private `/tmp`, and the folders where agents and
/// build tools keep their state. Runnel's data and processes are hidden. The network is shared.
///
/// @param program path of `bwrap`
/// @param hidden Runnel's data
/// @param writable additional writable folders and files, where they exist
record Bubblewrap(Path program, Path hidden, List<Path> writable) implements Isolation {
  /// Access to these sockets is equivalent to root.
  private static final List<Path> SOCKETS =
      List.of(
          Path.of("/run/docker.sock"),
          Path.of("/run/podman/podman.sock"),
          Path.of("/run/containerd/containerd.sock"));

  Bubblewrap {
    writable = List.copyOf(writable);
  }

  @Override
  public List<String> wrap(List<String> command, Place place) {
    var root = real(place.root());
    var whole = new ArrayList<>(List.of(program.toString(), "--ro-bind", "/", "/"));
    whole.addAll(List.of("--dev", "/dev", "--tmpfs", "/tmp"));
    for (var each : writable) {
      if (Files.exists(each)) {
        whole.addAll(List.of("--bind", real(each), real(each)));
      }
    }
    whole.addAll(List.of("--tmpfs", real(hidden), "--bind", root, root));
    for (var each : place.others()) {
      if (Files.exists(each)) {
        whole.addAll(List.of("--bind", real(each), real(each)));
      }
    }
    for (var socket : SOCKETS) {
      if (Files.exists(socket)) {
        whole.addAll(List.of("--ro-bind", "/dev/null", socket.toString()));
      }
    }
    // No --die-with-parent: it would kill the process when Runnel's thread ends. Processes are
    // asked to terminate, and have the grace time to do so.
    whole.addAll(List.of("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--proc", "/proc"));
    whole.addAll(List.of("--chdir", place.folder().toAbsolutePath().toString(), "--"));
    whole.addAll(command);
    return whole;
  }

  /// Resolves links, since nothing can be mounted on a link.
  private static String real(Path path) {
    try {
      return path.toRealPath().toString();
    } catch (IOException _) {
      return path.toAbsolutePath().toString();
    }
  }

  @Override
  public String line() {
    return "bubblewrap: agents write to their workspace, and do not see Runnel's data";
  }
}
