package dev.runnel.service.kubernetes;

import static dev.runnel.service.RunningService.awaitFile;
import static dev.runnel.service.RunningService.createFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.isolation.ExecutorContract;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.TextSink;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whole runs whose agents work in pods. The agent is a shell that reads its commands from the
/// prompt; the API server is the mock of the client library.
///
/// `-Drunnel.kubernetes.away=60` lets the API server stay away for a minute.
@Tag("slow")
class KubernetesRunTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration AWAY =
      Duration.ofSeconds(Integer.getInteger("runnel.kubernetes.away", 0));

  @TempDir Path folder;
  private FakeCluster cluster;

  @BeforeEach
  void open() {
    Bubblewrapped.require();
    cluster = new FakeCluster(folder, new BubblewrapRuntime(folder));
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private RunningService service(Kubernetes isolation, String... setupCommands) {
    return service(folder, isolation, setupCommands);
  }

  static RunningService service(Path folder, Kubernetes isolation, String... setupCommands) {
    var environment =
        Environment.named("web")
            .withName("Web")
            .withSetupCommands(List.of(setupCommands))
            .withImage(Optional.of("registry.test/agent:1"))
            .withVariables(List.of("FOR_WEB"));
    return RunningService.inEnvironment(
        folder,
        Optional.of("sh"),
        // Without isolation, agents would get the second one.
        Map.of("SECRET_OF_RUNNEL", "hidden", "LC_OF_RUNNEL", "hidden"),
        Setup.USUAL
            .with(isolation)
            .with(
                new Environments(
                    List.of(environment),
                    Optional.of(environment),
                    Map.of("FOR_WEB", "it's \"lent\"\nhere"))));
  }

  private Path workspace(String id) {
    return folder.resolve("workspaces").resolve(id);
  }

  private void assertThatNothingIsLeft() {
    assertThat(cluster.jobs()).isEmpty();
    assertThat(cluster.pods()).isEmpty();
    assertThat(cluster.running()).isZero();
    assertThat(folder.resolve("starts")).isEmptyDirectory();
  }

  @Nested
  class AsEveryExecutor implements ExecutorContract {
    private Kubernetes isolation;

    @BeforeEach
    void open() {
      isolation = cluster.isolation();
    }

    @AfterEach
    void close() {
      isolation.close();
    }

    @Override
    public Path folder() {
      return folder;
    }

    @Override
    public Isolation isolation() {
      return isolation;
    }

    @Override
    public void assertThatNothingIsLeft(String mark) {
      ExecutorContract.super.assertThatNothingIsLeft(mark);
      KubernetesRunTest.this.assertThatNothingIsLeft();
    }
  }

  @Test
  void anAgentSeesTheVariablesOfItsRunAndItsImageAndNoOthers() {
    try (var isolation = cluster.isolation();
        var service = service(isolation)) {
      var id = service.create("env; printf %s \"$FOR_WEB\" > lent; echo \"home $HOME\"; pwd");
      service.awaitState(id, "SUCCEEDED");

      assertThat(service.transcript(id))
          .contains("RUNNEL_RUN_ID=" + id, "OF_THE_IMAGE=yes")
          .contains("home " + folder.resolve("homes/" + id + "/home"))
          .endsWith(workspace(id) + "\n")
          .doesNotContain("OF_RUNNEL");
      assertThat(workspace(id).resolve("lent")).hasContent("it's \"lent\"\nhere");
    }
  }

  @Test
  void anAgentWhoseLogCannotBeHandledIsEnded() throws Exception {
    try (var isolation = cluster.isolation()) {
      var environment = Environment.named("web").withImage(Optional.of("registry.test/agent:1"));
      var workspaces = new Workspaces(folder.resolve("workspaces"), Environments.NONE);
      var root = Files.createDirectories(workspaces.root("run"));
      var place =
          new Isolation.Place(
              ExecutionRequest.internal("run"),
              root,
              root,
              environment,
              Set.of(),
              List.of(),
              workspaces.home("run", environment));
      var process =
          isolation.start(
              List.of("sh", "-c", "echo x; sleep 300"),
              place,
              System.getenv(),
              "",
              new TextSink(
                  _ -> {
                    throw new StackOverflowError();
                  },
                  _ -> {}));

      assertThat(process.awaitExit()).isNotZero();
      assertThat(process.failure()).containsInstanceOf(StackOverflowError.class);
      assertThat(process.end(Duration.ZERO)).isTrue();
      assertThatNothingIsLeft();
    }
  }

  @Test
  void jobContainsNeitherThePromptNorVariables() {
    try (var isolation = cluster.isolation();
        var service = service(isolation)) {
      var id = service.create("touch ready; sleep 30");
      awaitFile(workspace(id).resolve("ready"));

      assertThat(cluster.jobs().toString()).doesNotContain("sleep 30", "lent");
      assertThat(cluster.jobs().getFirst().getMetadata().getLabels())
          .containsEntry("runnel.dev/run", id);
      service.cancel(id);
    }
  }

  @Test
  void aFollowUpFindsTheHomeOfItsRun() {
    try (var isolation = cluster.isolation();
        var service = service(isolation)) {
      var id = service.create("echo own > \"$HOME/kept\"");
      service.awaitState(id, "SUCCEEDED");

      service.followUp(id, "cat \"$HOME/kept\"");
      service.awaitState(id, "SUCCEEDED");
      assertThat(service.transcript(id)).isEqualTo("own\n");
      assertThatNothingIsLeft();
    }
  }

  @Test
  void setupCommandsRunInPodsOfTheImageAndSayWhyTheyFail() {
    try (var isolation = cluster.isolation();
        var service =
            service(isolation, "echo \"$OF_THE_IMAGE\" > made", "echo broken >&2; exit 3")) {
      var id = service.create("echo never");
      service.awaitState(id, "FAILED");

      assertThat(workspace(id).resolve("made")).hasContent("yes");
      assertThat(service.message(id)).contains("broken");
      assertThatNothingIsLeft();
    }
  }

  @Test
  void jobsOfLostClaimsAreEndedAndOthersAreKept() {
    try (var isolation = cluster.isolation();
        var service = service(isolation)) {
      var id = service.create("echo done");
      service.awaitState(id, "SUCCEEDED");
      cluster.leave("runnel-lost", id, "claim-of-a-lost-node");
      cluster.leave("runnel-other", "a-run-of-another-runnel", "its-claim");
      await().until(() -> cluster.pods().size() == 2);

      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(cluster.jobs())
                      .extracting(each -> each.getMetadata().getName())
                      .containsExactly("runnel-other"));
    }
  }

  @Test
  void executionBeginsOnlyAfterEarlierJobsHaveEnded() {
    try (var isolation = cluster.isolation();
        var service = service(isolation)) {
      var id = service.create("echo one");
      service.awaitState(id, "SUCCEEDED");
      cluster.leave("runnel-lost", id, "claim-of-a-lost-node");
      await().until(() -> cluster.running() == 1);

      service.followUp(id, "echo two");
      service.awaitState(id, "SUCCEEDED");
      assertThat(service.transcript(id)).endsWith("two\n");
      assertThatNothingIsLeft();
    }
  }

  @Nested
  class TellsInPlainWords {
    private String end(RunningService service, String id, String state) {
      service.awaitState(id, state);
      assertThatNothingIsLeft();
      return service.message(id);
    }

    @Test
    void imagePullFailureIsExplained() {
      cluster.stall(
          FakeCluster.state(
                  new ContainerStateBuilder()
                      .withNewWaiting()
                      .withReason("ImagePullBackOff")
                      .withMessage("Back-off pulling image \"registry.test/agent:1\": not found")
                      .endWaiting(),
                  "Pending")
              .build());
      try (var isolation = cluster.isolation();
          var service = service(isolation)) {
        assertThat(end(service, service.create("x"), "FAILED"))
            .isEqualTo(
                "Kubernetes cannot get the image registry.test/agent:1 of the environment Web:"
                    + " Back-off pulling image \"registry.test/agent:1\": not found. Check its"
                    + " docker_image and pull_secrets.");
      }
    }

    @Test
    void evictionIsExplained() {
      try (var isolation = cluster.isolation();
          var service = service(isolation)) {
        var id = service.create("touch ready; sleep 300");
        awaitFile(workspace(id).resolve("ready"));
        cluster.report(
            status ->
                status
                    .withPhase("Failed")
                    .withReason("Evicted")
                    .withMessage("The node was low on resource: memory."));

        assertThat(end(service, id, "ERROR"))
            .isEqualTo(
                "Kubernetes evicted the agent from its machine: The node was low on resource:"
                    + " memory. Reply to continue.");
      }
    }

    @Test
    void outOfMemoryKillIsExplained() {
      try (var isolation = cluster.isolation();
          var service = service(isolation)) {
        var id = service.create("touch ready; sleep 300");
        awaitFile(workspace(id).resolve("ready"));
        cluster.report(
            _ ->
                FakeCluster.state(
                    new ContainerStateBuilder()
                        .withNewTerminated()
                        .withExitCode(137)
                        .withReason("OOMKilled")
                        .endTerminated(),
                    "Failed"));

        assertThat(end(service, id, "FAILED"))
            .isEqualTo(
                "The agent was stopped: it took more than 1 GiB of memory. The limit is"
                    + " agents.limits.memory.");
      }
    }

    @Test
    void jobRefusedByAQuotaIsExplained() {
      cluster.refuseJobs("exceeded quota: jobs, requested: count/jobs.batch=1, limited: 1");
      try (var isolation = cluster.isolation();
          var service = service(isolation)) {
        assertThat(end(service, service.create("x"), "ERROR"))
            .startsWith(
                "Kubernetes refused the pod, because the quota of its namespace is used up:"
                    + " exceeded quota: jobs");
      }
    }

    @Test
    void aQuotaThatRefusesTheJobOfASetupCommand() {
      cluster.refuseJobs("exceeded quota: jobs, requested: count/jobs.batch=1, limited: 1");
      try (var isolation = cluster.isolation();
          var service = service(isolation, "true")) {
        var id = service.create("x");

        assertThat(end(service, id, "ERROR")).startsWith("Kubernetes refused the pod");
        assertThat(service.run(id).at("/status_message/error_code").asText())
            .isEqualTo("resource_unavailable");
      }
    }

    @Test
    void podRefusedByAQuotaIsExplained() {
      cluster.makeNoPods("Error creating: pods \"x\" is forbidden: exceeded quota: cpu");
      try (var isolation = cluster.isolation();
          var service = service(isolation)) {
        assertThat(end(service, service.create("x"), "ERROR"))
            .startsWith("Kubernetes refused the pod, because the quota of its namespace is used up")
            .contains("exceeded quota: cpu");
      }
    }

    @Test
    void lackOfClusterCapacityIsExplained() {
      cluster.stall(
          new PodStatusBuilder()
              .withPhase("Pending")
              .withConditions(
                  new PodConditionBuilder()
                      .withType("PodScheduled")
                      .withStatus("False")
                      .withReason("Unschedulable")
                      .withMessage("0/3 nodes are available: 3 Insufficient memory.")
                      .build())
              .build());
      try (var isolation = cluster.isolation(Duration.ofSeconds(3));
          var service = service(isolation)) {
        assertThat(end(service, service.create("x"), "ERROR"))
            .isEqualTo(
                "Kubernetes did not start the agent within 3 seconds; the limit is"
                    + " agents.limits.start. It says: 0/3 nodes are available: 3 Insufficient"
                    + " memory.");
      }
    }

    @Test
    void deletedJobIsExplained() {
      try (var isolation = cluster.isolation();
          var service = service(isolation)) {
        var id = service.create("touch ready; sleep 300");
        awaitFile(workspace(id).resolve("ready"));
        cluster.client().batch().v1().jobs().inNamespace(FakeCluster.NAMESPACE).delete();
        cluster.client().pods().inNamespace(FakeCluster.NAMESPACE).delete();

        assertThat(end(service, id, "ERROR"))
            .contains("was deleted in Kubernetes. Reply to continue.");
      }
    }
  }

  @Nested
  class GoesOnWhen {
    private void comeBack() throws InterruptedException {
      // Not a wait for anything: a client that was refused for longer tries again less often.
      Thread.sleep(AWAY);
      cluster.comeBack();
    }

    @Test
    void runContinuesAfterAnApiServerOutageDuringItsWork() throws InterruptedException {
      try (var isolation = cluster.isolation(LONG.plus(AWAY));
          var service = service(isolation)) {
        var id =
            service.create(
                "echo before; touch ready; while [ ! -e go ]; do sleep 0.05; done; echo after;"
                    + " touch over");
        awaitFile(workspace(id).resolve("ready"));
        await().until(() -> service.transcript(id).equals("before\n"));
        cluster.goAway();
        createFile(workspace(id).resolve("go"));
        awaitFile(workspace(id).resolve("over"));
        assertThat(service.state(id)).isEqualTo("INPROGRESS");
        comeBack();

        service.awaitState(id, "SUCCEEDED");
        assertThat(service.transcript(id)).isEqualTo("before\nafter\n");
        assertThatNothingIsLeft();
      }
    }

    @Test
    void runContinuesAfterAnApiServerOutageAtItsStart() throws InterruptedException {
      try (var isolation = cluster.isolation(LONG.plus(AWAY));
          var service = service(isolation)) {
        cluster.goAway();
        var id = service.create("echo once >> count; cat count");
        service.awaitState(id, "INPROGRESS");
        comeBack();

        service.awaitState(id, "SUCCEEDED");
        assertThat(service.transcript(id)).isEqualTo("once\n");
        assertThatNothingIsLeft();
      }
    }

    @Test
    void runContinuesIfWatchesAreRefusedUntilTheJobIsCreated() throws InterruptedException {
      try (var isolation = cluster.isolation(LONG.plus(AWAY));
          var service = service(isolation)) {
        cluster.goAway();
        var id = service.create("echo once >> count; cat count");
        service.awaitState(id, "INPROGRESS");
        cluster.refuseWatchesUntil(
            request -> request.startsWith("POST") && request.endsWith("/jobs"));
        comeBack();

        service.awaitState(id, "SUCCEEDED");
        assertThat(service.transcript(id)).isEqualTo("once\n");
        assertThatNothingIsLeft();
      }
    }

    @Test
    void runContinuesIfTheWatchMissesTheEndOfThePod() {
      try (var isolation = cluster.isolation();
          var service = service(isolation)) {
        var id = service.create("touch ready; while [ ! -e go ]; do sleep 0.05; done; echo over");
        awaitFile(workspace(id).resolve("ready"));
        await().until(() -> cluster.pods().toString().contains("ContainerStateRunning"));
        cluster.closeWatches(request -> request.startsWith("PATCH") && request.endsWith("/status"));
        createFile(workspace(id).resolve("go"));

        service.awaitState(id, "SUCCEEDED");
        assertThat(service.transcript(id)).isEqualTo("over\n");
        assertThatNothingIsLeft();
      }
    }

    @Test
    void runIsStoppedDespiteAnApiServerOutage() throws InterruptedException {
      try (var isolation = cluster.isolation(LONG.plus(AWAY));
          var service = service(isolation)) {
        var id = service.create("touch ready; sleep 300");
        awaitFile(workspace(id).resolve("ready"));
        cluster.goAway();
        // Returns although the agent works, since it cannot be ended.
        service.cancel(id);
        assertThat(cluster.running()).isOne();
        assertThat(service.state(id)).isEqualTo("INPROGRESS");
        comeBack();

        service.awaitState(id, "CANCELLED");
        assertThatNothingIsLeft();
      }
    }
  }
}
