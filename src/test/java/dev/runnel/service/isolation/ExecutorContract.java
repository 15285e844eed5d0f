package dev.runnel.service.isolation;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.awaitFile;
import static dev.runnel.service.RunningService.createFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.ContainerRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/// How a run starts, follows and ends its agent, wherever the agent works. The agent is a command
/// of the shell. Each way to execute agents has a test that implements this.
public interface ExecutorContract {
  /// The folder of the service's data, which is empty before each test.
  Path folder();

  Isolation isolation();

  /// Fails if anything of an execution that has ended still exists. An executor that creates more
  /// than processes of this machine checks that, too.
  ///
  /// @param mark a word that the command lines of all its processes contain
  default void assertThatNothingIsLeft(String mark) {
    assertThat(running(mark)).isEmpty();
  }

  @Test
  default void thePromptArrivesByteForByte() throws IOException {
    var prompt =
        "\"quotes\" 'and' `ticks` $(touch x) \\ \n\n\ttab 😀 \u202Eאבג\r\n" + "é".repeat(50_000);
    try (var service = service("cat > prompt.txt; echo ok")) {
      var id = service.create(prompt);
      service.awaitState(id, "SUCCEEDED");

      assertThat(Files.readString(workspace(id).resolve("prompt.txt"))).isEqualTo(prompt);
    }
  }

  @Test
  default void theAgentKnowsItsRunAndNoneOfOurSecrets() throws IOException {
    try (var service =
        RunningService.inEnvironment(
            folder(),
            Optional.of("env > env.txt; echo ok"),
            Map.of(
                "SLACK_BOT_TOKEN", "secret-1",
                "GITHUB_TOKEN", "secret-2",
                "GITLAB_TOKEN", "secret-3",
                "JIRA_TOKEN", "secret-4",
                "RUNNEL_AGENT_API_KEY", "secret-5",
                "RUNNEL_DATABASE_URL", "secret-6",
                "ANTHROPIC_API_KEY", "secret-7"),
            setup())) {
      var body = JSON.createObjectNode().put("prompt", "x");
      body.putObject("config").put("model_id", "m").put("its_own", 1);
      var id = service.create(body);
      var run = service.awaitState(id, "SUCCEEDED");

      assertThat(Files.readAllLines(workspace(id).resolve("env.txt")))
          .contains(
              "RUNNEL_RUN_ID=" + id,
              "RUNNEL_EXECUTION=1",
              "RUNNEL_SESSION_ID=" + run.get("session_id").asText(),
              "RUNNEL_CONFIG_JSON={\"model_id\":\"m\",\"its_own\":1}")
          .noneMatch(line -> line.contains("secret-"));
    }
  }

  @Test
  default void aRunEndsWithTheLastParagraphAndKeepsTheWholeOutput() {
    try (var service =
        service(
            "echo one; echo ::status busy; echo; echo 'All done.'; echo oops >&2;"
                + " printf 'Two lines.'")) {
      var id = service.create("x");
      var run = service.awaitState(id, "SUCCEEDED");

      assertThat(run.at("/status_message/message").asText()).isEqualTo("All done.\nTwo lines.");
      assertThat(run.at("/status_message/error_code").isMissingNode()).isTrue();
      assertThat(service.transcript(id)).isEqualTo("one\n::status busy\n\nAll done.\nTwo lines.\n");
      var part = service.service.transcript(id, 0).orElseThrow();
      assertThat(part.mayGrow()).isFalse();
      assertThat(part.lines())
          .anySatisfy(
              line -> {
                assertThat(line.kind()).isEqualTo(TranscriptLine.Kind.ERROR);
                assertThat(line.text()).isEqualTo("oops");
              });
      assertThat(part.lines().getFirst().kind()).isEqualTo(TranscriptLine.Kind.ASKED);
    }
  }

  @Test
  default void failureMessageContainsTheLastLinesOfStandardError() {
    try (var service = service("echo hm; echo 'no disk' >&2; exit 3")) {
      var run = service.awaitState(service.create("x"), "FAILED");

      assertThat(run.at("/status_message/message").asText()).isEqualTo("no disk");
      assertThat(run.get("status_message").has("error_code")).isFalse();
      assertThat(run.path("error_category").asText()).isEqualTo("agent");
    }
  }

  @Test
  default void missingCommandIsASetupFailure() {
    try (var service = service("no-such-agent-here")) {
      var run = service.awaitState(service.create("x"), "FAILED");

      assertThat(run.at("/status_message/error_code").asText())
          .isEqualTo("environment_setup_failed");
      assertThat(run.path("error_category").asText()).isEqualTo("setup");
      assertThat(run.at("/status_message/message").asText()).contains("no-such-agent-here");
    }
  }

  @Test
  default void aStatusLineReplacesTheStatusMessageWhileItWorks() {
    try (var service =
        service("echo ::status reading; while [ ! -e go ]; do sleep 0.05; done; echo fine")) {
      var id = service.create("x");
      service.awaitState(id, "INPROGRESS");
      await().untilAsserted(() -> assertThat(service.message(id)).isEqualTo("reading"));
      createFile(workspace(id).resolve("go"));

      assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("fine");
    }
  }

  @Test
  default void questionBlocksTheRunUntilItsAnswer() {
    try (var service =
        service(
            "if [ $RUNNEL_EXECUTION = 1 ]; then echo '::blocked Which branch?'; else cat; fi")) {
      var id = service.create("x");
      var run = service.awaitState(id, "BLOCKED");
      assertThat(run.at("/status_message/message").asText()).isEqualTo("Which branch?");
      assertThat(service.cancel(id).statusCode()).isEqualTo(400);

      assertThat(service.followUp(id, "main").get("outcome").asText())
          .isEqualTo("handoff_execution");
      assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("main");
    }
  }

  @Test
  default void followUpContinuesInTheWorkspaceOfAnEndedRun() {
    try (var service = service("cat >> all; echo >> all; cat all; [ $RUNNEL_EXECUTION != 1 ]")) {
      var id = service.create("first");
      var failed = service.awaitState(id, "FAILED");

      assertThat(service.followUp(id, "second").get("outcome").asText())
          .isEqualTo("handoff_execution");

      var run = service.awaitState(id, "SUCCEEDED");
      assertThat(run.at("/status_message/message").asText()).isEqualTo("first\nsecond");
      assertThat(run.at("/status_message/error_code").isMissingNode()).isTrue();
      assertThat(run.get("started_at")).isEqualTo(failed.get("started_at"));
      assertThat(Instant.parse(run.get("updated_at").asText()))
          .isAfter(Instant.parse(failed.get("updated_at").asText()));
    }
  }

  @Test
  default void messagesToAWorkingRunBecomeItsNextExecution() {
    try (var service =
        service(
            "echo \"execution $RUNNEL_EXECUTION\"; cat; echo; touch ready;"
                + " [ $RUNNEL_EXECUTION = 2 ] || while [ ! -e go ]; do sleep 0.05; done")) {
      var id = service.create("first");
      awaitFile(workspace(id).resolve("ready"));
      var session = service.run(id).get("session_id");

      var second = service.followUp(id, "second");
      service.followUp(id, "third");
      createFile(workspace(id).resolve("go"));

      assertThat(second.get("outcome").asText()).isEqualTo("queue_pending");
      assertThat(second.get("followup_id").asText()).hasSize(36);
      var run = service.awaitState(id, "SUCCEEDED");
      assertThat(run.at("/status_message/message").asText()).isEqualTo("third");
      assertThat(service.transcript(id))
          .isEqualTo("execution 1\nfirst\nexecution 2\nsecond\n\nthird\n");
      assertThat(run.get("prompt").asText()).isEqualTo("first");
      assertThat(run.get("session_id")).isEqualTo(session);
    }
  }

  @Test
  default void anAgentThatClosesItsOutputEndsWhenItsProcessDoes() {
    try (var service = service("echo bye; exec >&- 2>&-; sleep 0.5; exit 0")) {
      var run = service.awaitState(service.create("x"), "SUCCEEDED");

      assertThat(run.at("/status_message/message").asText()).isEqualTo("bye");
    }
  }

  @Test
  default void backgroundProcessesEndWithTheirAgent() {
    var mark = mark();
    try (var service = service("sleep %s & echo done".formatted(mark))) {
      var id = service.create("x");
      service.awaitState(id, "SUCCEEDED");

      assertThatNothingIsLeft(mark);
      assertThat(service.message(id)).isEqualTo("done");
    }
  }

  @Test
  default void stoppedAgentGetsItsGraceTimeAndLeavesNoProcesses() throws InterruptedException {
    var mark = mark();
    var command =
        """
        trap 'sleep 0.3; echo bye > bye; echo saved; exit 0' TERM
        (sleep %s; :) & touch ready
        while :; do sleep 0.05; done
        """
            .formatted(mark);
    try (var service = service(command)) {
      var id = service.create("x");
      awaitFile(workspace(id).resolve("ready"));
      assertThat(running(mark)).isNotEmpty();
      assertThatAStopLeavesNothing(service, id, mark);

      assertThat(workspace(id).resolve("bye")).hasContent("bye");
      assertThat(service.transcript(id)).isEqualTo("saved\n");
    }
  }

  @Test
  default void anAgentThatIgnoresTheStopIsKilledWithAllItStarted() throws InterruptedException {
    var mark = mark();
    var command =
        """
        trap '' TERM
        (setsid sh -c 'trap "" TERM HUP; touch escaped; while :; do sleep %1$s; done' &)
        (env -i PATH="$PATH" sh -c 'trap "" TERM; touch anonymous; while :; do sleep %1$s; done' &)
        while [ ! -e escaped ] || [ ! -e anonymous ]; do sleep 0.05; done
        touch ready
        while :; do sleep %1$s; done
        """
            .formatted(mark);
    try (var service = service(command)) {
      var id = service.create("x");
      awaitFile(workspace(id).resolve("ready"));
      assertThat(running(mark)).hasSizeGreaterThan(2);

      assertThatAStopLeavesNothing(service, id, mark);
    }
  }

  /// Reads the state all the while, to see what is left when it first is `CANCELLED`.
  private void assertThatAStopLeavesNothing(RunningService service, String id, String mark)
      throws InterruptedException {
    var stop = Thread.ofVirtual().start(() -> service.cancel(id));
    service.awaitState(id, "CANCELLED");
    assertThatNothingIsLeft(mark);
    stop.join();
    assertThat(service.state(id)).isEqualTo("CANCELLED");
  }

  @Test
  default void closingTheServiceEndsItsAgentsQuickly() {
    var mark = mark();
    try (var service = service("touch ready; exec sleep " + mark)) {
      awaitFile(workspace(service.create("x")).resolve("ready"));
      await().until(() -> !running(mark).isEmpty());
    }
    assertThatNothingIsLeft(mark);
  }

  private RunningService service(String command) {
    return RunningService.with(folder(), command, 4, setup());
  }

  private Setup setup() {
    var environment = Environment.named("web").withImage(Optional.of(ContainerRuntime.IMAGE));
    return Setup.USUAL
        .with(isolation())
        .with(new Environments(List.of(environment), Optional.of(environment), Map.of()));
  }

  private Path workspace(String id) {
    return folder().resolve("workspaces").resolve(id);
  }

  /// Seconds to sleep, which no other process sleeps.
  static String mark() {
    return "301." + ThreadLocalRandom.current().nextInt(100_000, 1_000_000);
  }

  /// The processes of this machine, in namespaces too, whose command line contains the mark.
  static List<ProcessHandle> running(String mark) {
    return ProcessHandle.allProcesses()
        .filter(each -> each.info().commandLine().orElse("").contains(mark))
        .toList();
  }
}
