package dev.runnel.service.kubernetes;

import io.fabric8.kubernetes.api.model.Pod;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs containers with the programs of this machine: the mounts of the pod at their places, and
/// the command as the first process of a process namespace, as in a container.
record BubblewrapRuntime(Path volume) implements FakeCluster.Runner {
  @Override
  public FakeCluster.Container start(Pod pod, FakeCluster.Log log) throws IOException {
    var container = pod.getSpec().getContainers().getFirst();
    var command = new ArrayList<>(List.of("bwrap", "--unshare-pid"));
    command.addAll(List.of("--as-pid-1", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc"));
    // A read-only root, but for what is mounted.
    command.addAll(List.of("--tmpfs", "/run"));
    for (var mount : container.getVolumeMounts()) {
      command.addAll(
          List.of(
              Boolean.TRUE.equals(mount.getReadOnly()) ? "--ro-bind" : "--bind",
              volume.resolve(mount.getSubPath()).toString(),
              mount.getMountPath().equals("/tmp") || mount.getMountPath().equals("/var/tmp")
                  ? "/run" + mount.getMountPath()
                  : mount.getMountPath()));
    }
    command.add("--");
    command.addAll(container.getCommand());
    var builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/local/bin:/usr/bin:/bin");
    builder.environment().put("OF_THE_IMAGE", "yes");
    var process = builder.start();
    process.getOutputStream().close();
    var readers =
        List.of(
            Thread.ofPlatform().daemon().start(() -> read(process.getInputStream(), log)),
            Thread.ofPlatform().daemon().start(() -> read(process.getErrorStream(), log)));
    return new FakeCluster.Container() {
      @Override
      public int await() throws InterruptedException {
        var code = process.waitFor();
        for (var each : readers) {
          each.join();
        }
        return code;
      }

      @Override
      public void stop(Duration grace) {
        // The first process of the namespace.
        process.children().forEach(ProcessHandle::destroy);
        try {
          if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
            process.children().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
          }
        } catch (InterruptedException _) {
          Thread.currentThread().interrupt();
        }
      }
    };
  }

  private static void read(InputStream stream, FakeCluster.Log log) {
    try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        log.add(line);
      }
    } catch (IOException _) {
      // The container was killed.
    }
  }
}
