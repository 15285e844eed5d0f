package dev.runnel.service.kubernetes;

import static dev.runnel.service.RunningService.awaitFile;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.isolation.InjectedAgentContract;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Machine;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// In pods that podman makes from the specification that Runnel gives to the API server. Everything
/// of the machine is on the claim, and belongs to the user of the pods.
///
/// What only a cluster does is not judged here: its token and variables ([JobSpecTest]), network
/// policies (`DeployTest`), and the number of processes, which the kubelet limits. Runnel cannot
/// see deleted files that an agent in a pod has open.
@Tag("slow")
class InjectedAgentInPodsTest implements InjectedAgentContract {
  private static final long USER = 999;

  @TempDir static Path work;
  private static PlayKubeRuntime runtime;

  private @Nullable FakeCluster cluster;
  private @Nullable Kubernetes isolation;

  /// Once, since it takes a second.
  @BeforeAll
  static void install() throws IOException {
    runtime = PlayKubeRuntime.install(work, work);
  }

  @Override
  public Isolation isolation(Machine machine, Path folder) {
    var started = new FakeCluster(folder, runtime.on(folder));
    var pods = started.isolation(folder.resolve("data"), machine.quotas(), (_, _) -> USER);
    cluster = started;
    isolation = pods;
    return pods;
  }

  @Override
  public long accountOfAgents() {
    return USER;
  }

  @AfterEach
  void close() {
    if (isolation != null) {
      isolation.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void agentCannotReachAnotherRunThroughLinks(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var other = stage.create("echo theirs > file");
      stage.service().awaitState(other, "SUCCEEDED");
      var id =
          stage.create(
              "ln -s %s workspace; ln -s %s home; echo done"
                  .formatted(
                      stage.workspace(other), stage.data().resolve("homes/" + other + "/home")));
      stage.service().awaitState(id, "SUCCEEDED");

      stage.service().followUp(id, "cat workspace/file; ls home/; echo again");
      stage.service().awaitState(id, "SUCCEEDED");

      assertThat(stage.service().transcript(id)).isEqualTo("done\nagain\n");
    }
  }

  @Test
  void agentThatReplacesItsStartFilesCanBeStopped(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var id =
          stage.create(
              """
              mkdir /run/runnel/environment; touch /run/runnel/environment/x
              rm /run/runnel/begun; ln -s %s /run/runnel/begun; touch ready; sleep 300
              """
                  .formatted(stage.data()));
      awaitFile(stage.workspace(id).resolve("ready"));

      stage.service().cancel(id);
      stage.service().awaitState(id, "CANCELLED");

      var pods = requireNonNull(cluster);
      assertThat(pods.pods()).isEmpty();
      assertThat(pods.running()).isZero();
      assertThat(stage.data().resolve("starts")).isEmptyDirectory();
      assertThat(stage.data().resolve("runnel.db")).exists();
    }
  }

  @Test
  void agentThatFillsItsStartFolderIsStopped(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      InjectedAgentContract.assertFillsTheDisk(
          stage, "dd if=/dev/zero of=/run/runnel/big bs=1M count=50");
    }
  }

  /// Podman kills the process alone, a kubelet the whole pod.
  @Test
  void agentCannotExceedTheMemoryOfItsPod(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var said = stage.obey("echo x; dd if=/dev/zero of=/dev/null bs=400M count=1 && echo took it");

      assertThat(said).startsWith("x\n").doesNotContain("took it");
      assertThat(stage.obey("echo fine")).isEqualTo("fine\n");
    }
  }
}
