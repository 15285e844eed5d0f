package dev.runnel.service.kubernetes;

import dev.runnel.testkit.ContainerRuntime;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// Runs pods by `podman play kube`, from their specification as the API server has it. Only the
/// volume is another: folders of this machine instead of paths of a claim.
///
/// @param volume the folder that stands for the claim
/// @param work where its own files are
record PlayKubeRuntime(Path volume, Path work, Path podman) implements FakeCluster.Runner {
  private static final String INFRA = "localhost/runnel-test-infra:2";

  /// Without a registry, the container that holds a pod together is of the image of the tests. The
  /// machine may not permit the usual limits.
  private static final String SETTINGS =
      """
      [containers]
      default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
      [engine]
      infra_image = "%s"
      """
          .formatted(INFRA);

  /// Skips the test where podman cannot run pods.
  static PlayKubeRuntime install(Path volume, Path work) throws IOException {
    var podman = ContainerRuntime.install(work);
    Files.writeString(work.resolve("containers.conf"), SETTINGS);
    var runtime = new PlayKubeRuntime(volume, work, podman);
    var image = Path.of("target", "podman", "image.tar").toAbsolutePath().toString();
    Assumptions.assumeTrue(
        runtime.call("image", "exists", INFRA) == 0
            || runtime.call(
                    "import",
                    "--quiet",
                    "--change",
                    "CMD [\"sleep\",\"100000\"]",
                    // As a first process, it ignores SIGTERM: each pod would take ten seconds to
                    // end.
                    "--change",
                    "STOPSIGNAL SIGKILL",
                    image,
                    INFRA)
                == 0,
        "Skipped: podman cannot make an image here");
    return runtime;
  }

  /// With another folder as the claim.
  PlayKubeRuntime on(Path other) {
    return new PlayKubeRuntime(other, work, podman);
  }

  @Override
  public FakeCluster.Container start(Pod pod, FakeCluster.Log log) throws IOException {
    var name = pod.getMetadata().getName();
    var user = pod.getSpec().getSecurityContext().getRunAsUser().intValue();
    Assertions.assertNotEquals(0, user);
    own(user);
    var mounts = new ArrayList<VolumeMount>();
    var volumes = new ArrayList<Volume>();
    for (var mount : pod.getSpec().getContainers().getFirst().getVolumeMounts()) {
      var folder = volume.resolve(mount.getSubPath());
      var number = "m" + mounts.size();
      mounts.add(new VolumeMountBuilder(mount).withName(number).withSubPath(null).build());
      volumes.add(
          new VolumeBuilder()
              .withName(number)
              .withNewHostPath()
              .withPath(folder.toString())
              .withType("Directory")
              .endHostPath()
              .build());
    }
    var file = work.resolve(name + ".yaml");
    Files.writeString(
        file,
        Serialization.asYaml(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(pod.getMetadata().getLabels())
                .endMetadata()
                .withSpec(pod.getSpec())
                .editSpec()
                .withVolumes(volumes)
                .editFirstContainer()
                .withVolumeMounts(mounts)
                .endContainer()
                .endSpec()
                .build()));
    Assertions.assertEquals(
        0, call("play", "kube", "--network", "none", file.toString()), () -> output(name));
    var container = name + "-" + JobSpec.CONTAINER;
    var logs = builder("logs", "--follow", container).redirectErrorStream(true).start();
    var reader = Thread.ofPlatform().daemon().start(() -> read(logs.getInputStream(), log));
    return new FakeCluster.Container() {
      @Override
      public int await() throws InterruptedException {
        try {
          var waiting = builder("wait", container).start();
          var said =
              new String(waiting.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
          waiting.waitFor();
          reader.join();
          call("pod", "rm", "--force", name);
          return said.isEmpty() ? PodState.KILLED : Integer.parseInt(said);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public void stop(Duration grace) {
        call("stop", "--time", Long.toString(grace.toSeconds()), container);
      }
    };
  }

  /// All of the claim is Runnel's, which has the same user. Another pod may change it meanwhile.
  private void own(int user) throws IOException {
    try {
      new ProcessBuilder("chown", "-R", Integer.toString(user), volume.toString())
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private ProcessBuilder builder(String... arguments) {
    var command = new ArrayList<>(List.of(podman.toString()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).directory(work.toFile());
    builder.environment().putAll(Map.of("CONTAINERS_CONF", work + "/containers.conf"));
    return builder;
  }

  private int call(String... arguments) {
    try {
      var process =
          builder(arguments)
              .redirectErrorStream(true)
              .redirectOutput(work.resolve("podman.log").toFile())
              .start();
      Assertions.assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      return process.exitValue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return -1;
    }
  }

  private String output(String name) {
    try {
      return name + ": " + Files.readString(work.resolve("podman.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void read(InputStream stream, FakeCluster.Log log) {
    try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        log.add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
