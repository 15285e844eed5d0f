package dev.runnel.service.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Namespaces created by [bubblewrap](https://github.com/containers/bubblewrap). The file system
/// begins empty. It gets the [SystemFolders] and the [ProgramFolders], which are readable, and the
/// run's workspace, home folder, `/tmp` and the caches of its environment, which are writable.
/// Processes, users and other namespaces are the run's own; the network, too, if the place has a
/// proxy.
///
/// @param program path of `bwrap`
record Bubblewrap(Path program, Machine machine) implements Isolation.Local {
  @Override
  public List<String> wrap(List<String> command, Place place) {
    var mounts = new Mounts();
    var home = place.home();
    // On disk, where they count toward the run's limit. A tmpfs would use memory without a limit.
    mounts.add("--bind", home.temporary(), Path.of("/tmp"));
    mounts.add("--bind", home.temporary(), Path.of("/var/tmp"));
    mounts.add("--bind", home.sharedMemory(), Path.of("/dev/shm"));
    mounts.readable(ProgramFolders.of(machine));
    mounts.readable(machine.readable());
    mounts.hide(machine);
    mounts.writable(home.folder());
    home.mounts().forEach((where, what) -> mounts.add("--bind", what, where));
    mounts.writable(place.root());
    mounts.readable(place.readable());
    var limited =
        new ArrayList<>(
            machine.quotas().limitCommand(machine.environment(), Quotas.limitsOfThisProcess()));
    limited.addAll(command);
    if (place.network().isEmpty()) {
      return bwrapCommand(mounts, place.folder(), limited);
    }
    var relay = RelayCommand.forThisSystem(place.network().get());
    relay.readable().forEach((where, what) -> mounts.add("--ro-bind", what, where));
    mounts.add("--bind", place.network().get().socket(), RelayCommand.SOCKET);
    mounts.arguments.add("--unshare-net");
    return bwrapCommand(mounts, place.folder(), relay.wrap(limited));
  }

  /// The command that checks whether bubblewrap works here.
  ///
  /// @param ownNetwork whether it must also create a network of its own
  List<String> probeCommand(boolean ownNetwork) {
    var mounts = new Mounts();
    if (ownNetwork) {
      mounts.arguments.add("--unshare-net");
    }
    return bwrapCommand(mounts, Path.of("/"), List.of("/bin/sh", "-c", "exit 0"));
  }

  private List<String> bwrapCommand(Mounts mounts, Path folder, List<String> command) {
    var whole = new ArrayList<>(List.of(program.toString()));
    // Without capabilities and in a user namespace of its own, even root cannot unmount anything.
    whole.addAll(List.of("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"));
    whole.addAll(List.of("--unshare-cgroup-try", "--cap-drop", "ALL", "--new-session"));
    // The thread that starts bubblewrap lives as long as Runnel; see Spawner.
    whole.add("--die-with-parent");
    whole.addAll(mounts.arguments);
    mounts.hidden.forEach(each -> whole.addAll(List.of("--remount-ro", each)));
    whole.addAll(List.of("--remount-ro", "/dev"));
    whole.addAll(List.of("--remount-ro", "/", "--chdir", folder.toAbsolutePath().toString()));
    whole.add("--");
    whole.addAll(command);
    return whole;
  }

  @Override
  public List<String> homeFiles() {
    return machine.homeFiles();
  }

  @Override
  public String line() {
    return "bubblewrap: agents see the system's programs, and of Runnel's user only their own"
        + " workspace and home folder";
  }

  /// What is mounted, in order: later mounts cover earlier ones.
  private static final class Mounts {
    private final List<String> arguments = new ArrayList<>();
    // From the path inside to the real path on the machine.
    private final Map<Path, Path> readable = new LinkedHashMap<>();
    private final List<String> hidden = new ArrayList<>();

    Mounts() {
      for (var each : SystemFolders.programs()) {
        if (Files.isSymbolicLink(each)) {
          arguments.addAll(List.of("--symlink", target(each), each.toString()));
          readable.put(each, Machine.real(each));
        } else {
          readable(List.of(each));
        }
      }
      readable(SystemFolders.others());
      arguments.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
    }

    void readable(Iterable<Path> paths) {
      for (var each : paths) {
        var real = Machine.real(each);
        var path = each.toAbsolutePath();
        // A link in a mounted folder is mounted, too; its target needs a mount of its own.
        var place = readable.keySet().stream().anyMatch(path::startsWith) ? real : path;
        if (Files.exists(real) && !isMounted(place)) {
          readable.put(place, real);
          add("--ro-bind", real, place);
        }
      }
    }

    private boolean isMounted(Path path) {
      return readable.entrySet().stream()
          .anyMatch(it -> it.getKey().equals(it.getValue()) && path.startsWith(it.getKey()));
    }

    void writable(Path path) {
      // The path that the agent is given, and the one that tools see when they resolve links.
      add("--bind", path, path);
      if (!Machine.real(path).equals(path.toAbsolutePath())) {
        add("--bind", path, Machine.real(path));
      }
    }

    /// Covers hidden paths in readable folders, at every path where links make them visible.
    void hide(Machine machine) {
      for (var each : machine.hiddenPaths(readable)) {
        if (Files.isDirectory(each)) {
          // Becomes read-only after everything in it is mounted.
          arguments.addAll(List.of("--tmpfs", each.toString()));
          hidden.add(each.toString());
        } else {
          add("--ro-bind", Path.of("/dev/null"), each);
        }
      }
    }

    /// Resolves links in the source; the path inside is unchanged.
    void add(String how, Path source, Path place) {
      arguments.addAll(
          List.of(how, Machine.real(source).toString(), place.toAbsolutePath().toString()));
    }

    private static String target(Path link) {
      try {
        return Files.readSymbolicLink(link).toString();
      } catch (IOException _) {
        return "usr" + link;
      }
    }
  }
}
