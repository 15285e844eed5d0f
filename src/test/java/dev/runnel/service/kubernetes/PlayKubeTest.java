package dev.runnel.service.kubernetes;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.ContainerRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs whose pods are real, from the specification that Runnel gives to the API server. The agent
/// is a shell of the image that reads its commands from the prompt.
@Tag("slow")
class PlayKubeTest {
  private static final long USER = 999;

  @TempDir Path folder;
  @TempDir Path work;
  private FakeCluster cluster;
  private Kubernetes isolation;
  private RunningService service;

  @BeforeEach
  void open() throws IOException {
    cluster = new FakeCluster(folder, PlayKubeRuntime.install(folder, work));
    isolation = cluster.isolation(Duration.ofMinutes(1), (_, _) -> USER);
    var environment =
        Environment.named("web")
            .withName("Web")
            .withSetupCommands(List.of("id -u > setup"))
            .withImage(Optional.of(ContainerRuntime.IMAGE));
    service =
        RunningService.inEnvironment(
            folder,
            Optional.of("sh"),
            Map.of(),
            Setup.USUAL
                .with(isolation)
                .with(new Environments(List.of(environment), Optional.of(environment), Map.of())));
  }

  @AfterEach
  void close() {
    if (service != null) {
      service.close();
      isolation.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private void assertThatNothingIsLeft() {
    assertThat(cluster.jobs()).isEmpty();
    assertThat(cluster.pods()).isEmpty();
    assertThat(cluster.running()).isZero();
  }

  @Test
  void agentAnswersFromAPodWithoutPrivileges() throws IOException {
    var id =
        service.create(
            """
            cat setup; id -u; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status
            touch /x /etc/x /usr/x 2>/dev/null || echo read-only
            echo x > /tmp/x && echo x > "$HOME/x" && echo x > mine && echo own folders
            ls %s 2>/dev/null; echo why >&2
            """
                .formatted(folder.resolve("workspaces").getParent()));
    service.awaitState(id, "SUCCEEDED");

    assertThat(service.transcript(id))
        .contains("\n999\n999\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nread-only\nown folders\n")
        .doesNotContain("agent-runs.db");
    assertThat(folder.resolve("workspaces/" + id + "/mine")).hasContent("x");
    assertThat(service.service.transcript(id, 0).orElseThrow().lines())
        .anySatisfy(line -> assertThat(line.text()).isEqualTo("why"));
    assertThatNothingIsLeft();
  }

  @Test
  void anAgentAsksAndGetsTheAnswerInItsWorkspace() {
    var id = service.create("echo kept > file; echo '::blocked Which one?'");
    service.awaitState(id, "BLOCKED");
    assertThat(service.message(id)).contains("Which one?");

    service.followUp(id, "cat file; echo the second");
    service.awaitState(id, "SUCCEEDED");
    assertThat(service.transcript(id)).endsWith("kept\nthe second\n");
    assertThatNothingIsLeft();
  }

  @Test
  void aStoppedAgentHasItsGraceTimeAndLeavesNothing() throws IOException {
    var id =
        service.create(
            """
            (setsid sh -c 'trap "" TERM; touch hidden; sleep 300' &)
            trap 'echo bye > bye; exit' TERM
            while [ ! -e hidden ]; do sleep 0.05; done; touch ready
            while :; do sleep 0.05; done
            """);
    var workspace = folder.resolve("workspaces/" + id);
    awaitFile(workspace.resolve("ready"));

    service.cancel(id);
    service.awaitState(id, "CANCELLED");
    assertThat(Files.readString(workspace.resolve("bye"))).isEqualTo("bye\n");
    assertThatNothingIsLeft();
  }
}
