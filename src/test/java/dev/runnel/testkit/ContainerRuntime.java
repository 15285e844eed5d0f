package dev.runnel.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// Podman with a small image, which is made of programs of this machine, so that no registry is
/// needed.
public final class ContainerRuntime {
  /// The name of the image. A new list of programs needs a new number.
  public static final String IMAGE = "localhost/runnel-test:4";

  /// Lets podman work without an init system and a network, as inside another container.
  private static final String WRAPPER =
      """
      #!/bin/sh
      case $1 in
        run)
          shift
          for each; do
            shift
            case $each in --init) ;; *) set -- "$@" "$each" ;; esac
          done
          set -- run --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "$@" ;;
      esac
      exec %1$s --root %2$s/root --runroot %2$s/run --storage-driver vfs --runtime runc \
        --cgroup-manager cgroupfs "$@"
      """;

  private static final String MAKE_IMAGE =
      """
      set -e
      cd "$1"
      rm -rf files
      mkdir -p files/bin files/tmp files/usr files/etc
      for each in sh bash cat chmod cp date dd env find grep head id ln ls mkdir mount mv perl readlink \
          rm setsid sleep timeout touch tr umount unshare wc; do
        program=$(readlink -f "$(command -v $each)")
        cp "$program" files/bin/$each
        ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
          mkdir -p "files$(dirname "$library")"
          cp -L "$library" "files$library"
        done
      done
      tar -C files -cf image.tar .
      podman import --quiet image.tar "$2"
      """;

  private ContainerRuntime() {}

  /// Installs a `podman` that has the image. Skips the test where there is none, or where it cannot
  /// run a container.
  ///
  /// @param bin where the program is put
  /// @return the program
  public static Path install(Path bin) throws IOException {
    var podman = Path.of("/usr/bin/podman");
    Assumptions.assumeTrue(Files.isExecutable(podman), "Skipped: podman is not installed");
    // Kept for the next tests: it takes some seconds to make.
    var storage = Files.createDirectories(Path.of("target", "podman").toAbsolutePath());
    var program = bin.resolve("podman");
    Files.writeString(program, WRAPPER.formatted(podman, storage));
    Assertions.assertTrue(program.toFile().setExecutable(true));
    Assumptions.assumeTrue(
        hasImage(bin, program, storage), "Skipped: podman cannot make an image here");
    Assumptions.assumeTrue(
        run(bin, List.of(program.toString(), "run", "--rm", IMAGE, "sh", "-c", ":")),
        "Skipped: podman cannot run a container here");
    return program;
  }

  /// Other tests and other JVMs of the same build wait until it is made.
  private static synchronized boolean hasImage(Path bin, Path program, Path storage)
      throws IOException {
    try (var channel =
            FileChannel.open(
                storage.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = channel.lock()) {
      return run(bin, List.of(program.toString(), "image", "exists", IMAGE))
          || run(bin, List.of("sh", "-c", MAKE_IMAGE, "sh", storage.toString(), IMAGE));
    }
  }

  private static boolean run(Path bin, List<String> command) throws IOException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    // Podman's monitor leaves a file where it was started when a container has no memory left.
    builder.directory(bin.toFile());
    builder.environment().compute("PATH", (_, path) -> bin + ":" + path);
    try {
      var process = builder.start();
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
