package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.run.TranscriptLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
public class CommandRunTest {
  @TempDir Path folder;

  @Test
  void aRunEndsWithTheLastParagraphAndKeepsTheWholeOutput() {
    try (var service =
        RunningService.withCommand(
            folder,
            "echo one; echo ::status busy; echo; echo 'All done.'; echo 'Two lines.'; echo oops"
                + " >&2")) {
      var id = service.create("Fix the flaky test, please");
      var run = service.awaitState(id, "SUCCEEDED");

      assertThat(run.at("/status_message/message").asText()).isEqualTo("All done.\nTwo lines.");
      assertThat(run.at("/status_message/error_code").isMissingNode()).isTrue();
      assertThat(service.transcript(id)).isEqualTo("one\n::status busy\n\nAll done.\nTwo lines.\n");
      assertThat(run.get("title").asText()).isEqualTo("Fix the flaky test, please");
      assertThat(run.get("task_id").asText()).isEqualTo(id);
      assertThat(run.get("session_link").asText()).isEqualTo("http://runnel.test:8080/runs/" + id);
      assertThat(run.get("session_id").asText()).hasSize(36);
      assertThat(run.get("started_at").asText()).isNotBlank();
      assertThat(run.get("run_time").asText()).startsWith("PT");
      assertThat(run.get("source").asText()).isEqualTo("API");
      assertThat(run.at("/creator/type").asText()).isEqualTo("service_account");
      assertThat(run.at("/creator/display_name").asText()).isEqualTo("Runnel");
      assertThat(run.get("execution_location").asText()).isEqualTo("REMOTE");
      assertThat(run.get("is_run_type_cancellable").asBoolean()).isTrue();
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
  void thePromptArrivesByteForByte() throws IOException {
    var prompt =
        "\"quotes\" 'and' `ticks` $(touch x) \\ \n\n\ttab 😀 \u202Eאבג\r\n" + "é".repeat(50_000);
    try (var service = RunningService.withCommand(folder, "cat > prompt.txt; echo ok")) {
      var id = service.create(prompt);
      service.awaitState(id, "SUCCEEDED");

      assertThat(Files.readString(folder.resolve("workspaces/" + id + "/prompt.txt")))
          .isEqualTo(prompt);
    }
  }

  @Test
  void theAgentKnowsItsRunAndNoneOfOurSecrets() throws IOException {
    try (var service =
        RunningService.inEnvironment(
            folder,
            Optional.of("env > env.txt; echo ok"),
            Map.of(
                "SLACK_BOT_TOKEN", "secret-1",
                "GITHUB_TOKEN", "secret-2",
                "GITLAB_TOKEN", "secret-3",
                "JIRA_TOKEN", "secret-4",
                "RUNNEL_AGENT_API_KEY", "secret-5",
                "RUNNEL_DATABASE_URL", "secret-6",
                "ANTHROPIC_API_KEY", "secret-7"))) {
      var body = JSON.createObjectNode().put("prompt", "x");
      body.putObject("config").put("model_id", "m").put("its_own", 1);
      var id = service.create(body);
      var run = service.awaitState(id, "SUCCEEDED");

      assertThat(Files.readAllLines(folder.resolve("workspaces/" + id + "/env.txt")))
          .contains(
              "RUNNEL_RUN_ID=" + id,
              "RUNNEL_EXECUTION=1",
              "RUNNEL_SESSION_ID=" + run.get("session_id").asText(),
              "RUNNEL_CONFIG_JSON={\"model_id\":\"m\",\"its_own\":1}")
          .noneMatch(line -> line.contains("secret-"));
    }
  }

  @Test
  void aFailureIsToldWithTheLastLinesOfStandardError() {
    try (var service = RunningService.withCommand(folder, "echo hm; echo 'no disk' >&2; exit 3")) {
      var run = service.awaitState(service.create("x"), "FAILED");

      assertThat(run.at("/status_message/message").asText()).isEqualTo("no disk");
      assertThat(run.at("/status_message/error_code").asText()).isEqualTo("agent_process_failed");
    }
  }

  @Test
  void aCommandThatIsNotThereIsASetupFailure() {
    try (var service = RunningService.withCommand(folder, "no-such-agent-here")) {
      var run = service.awaitState(service.create("x"), "FAILED");

      assertThat(run.at("/status_message/error_code").asText())
          .isEqualTo("environment_setup_failed");
      assertThat(run.at("/status_message/message").asText()).contains("no-such-agent-here");
    }
  }

  @Test
  void aStatusLineReplacesTheStatusMessageWhileItWorks() {
    try (var service =
        RunningService.withCommand(
            folder, "echo ::status reading; while [ ! -e go ]; do sleep 0.05; done; echo fine")) {
      var id = service.create("x");
      service.awaitState(id, "INPROGRESS");
      await().untilAsserted(() -> assertThat(service.message(id)).isEqualTo("reading"));
      create(folder.resolve("workspaces/" + id + "/go"));

      assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("fine");
    }
  }

  @Test
  void aQuestionBlocksTheRunWhenItExitsWellAndTheAnswerGoesOn() {
    try (var service =
        RunningService.withCommand(
            folder,
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
  void theChoicesOfAQuestionAreAListBelowIt() {
    try (var service =
        RunningService.withCommand(
            folder, "printf '::blocked Which branch?\n::option main\n::option dev\n'")) {
      var run = service.awaitState(service.create("x"), "BLOCKED");

      assertThat(run.at("/status_message/message").asText())
          .isEqualTo("Which branch?\n1. main\n2. dev");
    }
  }

  @Test
  void pullRequestsBecomeArtifactsOnce() {
    try (var service =
        RunningService.withCommand(
            folder,
            "echo see https://github.com/o/r/pull/1; sleep 0.3;"
                + " echo https://github.com/o/r/pull/1 and"
                + " https://git.example.org/g/p/-/merge_requests/2")) {
      var run = service.awaitState(service.create("x"), "SUCCEEDED");

      assertThat(run.get("artifacts")).hasSize(2);
      assertThat(run.at("/artifacts/0/artifact_type").asText()).isEqualTo("PULL_REQUEST");
      assertThat(run.at("/artifacts/0/data/url").asText())
          .isEqualTo("https://github.com/o/r/pull/1");
      assertThat(run.at("/artifacts/0/data/branch").asText()).isEmpty();
      assertThat(run.at("/artifacts/1/data/url").asText())
          .isEqualTo("https://git.example.org/g/p/-/merge_requests/2");
    }
  }

  @Test
  void moreOutputThanIsKeptIsCutAndSaidSo() {
    try (var service =
        RunningService.withCommand(
            folder,
            "yes 0123456789012345678901234567890123456789 | head -c 14000000; echo; echo; echo"
                + " end")) {
      var id = service.create("x");
      var run = service.awaitState(id, "SUCCEEDED");

      assertThat(run.at("/status_message/message").asText()).isEqualTo("end");
      var transcript = service.transcript(id);
      assertThat(transcript.length()).isBetween(10_000_000, 10_600_000);
      assertThat(transcript).endsWith("10 MiB; the rest of it is not kept.\n");
    }
  }

  @Test
  void anAgentThatClosesItsOutputEndsWhenItsProcessDoes() {
    try (var service =
        RunningService.withCommand(folder, "echo bye; exec >&- 2>&-; sleep 0.5; exit 0")) {
      assertThat(
              service
                  .awaitState(service.create("x"), "SUCCEEDED")
                  .at("/status_message/message")
                  .asText())
          .isEqualTo("bye");
    }
  }

  @Test
  void whatAnAgentLeavesInTheBackgroundEndsWithIt() throws IOException {
    try (var service =
        RunningService.withCommand(folder, "sleep 300 & echo $! > child; echo done")) {
      var id = service.create("x");
      service.awaitState(id, "SUCCEEDED");

      var child = Files.readString(folder.resolve("workspaces/" + id + "/child")).strip();
      assertThat(Living.is(child)).isFalse();
      assertThat(service.message(id)).isEqualTo("done");
    }
  }

  @Test
  void noMoreRunsWorkAtOnceThanThereAreSlotsAndTheyStartInOrder() throws IOException {
    try (var service =
        RunningService.withCommand(
            folder, "cat >> ../order; echo >> ../order; sleep 0.3; echo done", 1)) {
      var first = service.create("1");
      var second = service.create("2");
      var third = service.create("3");
      var most = new AtomicInteger();
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(10))
          .until(
              () -> {
                var working =
                    service.ok(service.get("/agent/runs?state=INPROGRESS")).get("runs").size();
                most.accumulateAndGet(working, Math::max);
                return service.state(third).equals("SUCCEEDED");
              });

      assertThat(most).hasValue(1);
      assertThat(service.state(first)).isEqualTo("SUCCEEDED");
      assertThat(service.state(second)).isEqualTo("SUCCEEDED");
      assertThat(Files.readAllLines(folder.resolve("workspaces/order")))
          .containsExactly("1", "2", "3");
    }
  }

  @Test
  void watchersAreToldOfNewLinesAndOneThatBreaksHarmsNobody() throws Exception {
    try (var service =
        RunningService.withCommand(folder, "while [ ! -e go ]; do sleep 0.05; done; echo now")) {
      var id = service.create("x");
      service.awaitState(id, "INPROGRESS");
      var told = new AtomicInteger();
      Runnable breaking =
          () -> {
            throw new IllegalStateException("the page is gone");
          };
      try (var _ = service.service.watch(id, breaking);
          var _ = service.service.watch(id, told::incrementAndGet)) {
        assertThat(service.service.transcript(id, 0).orElseThrow().mayGrow()).isTrue();
        create(folder.resolve("workspaces/" + id + "/go"));
        service.awaitState(id, "SUCCEEDED");
      }
      assertThat(told.get()).isGreaterThanOrEqualTo(2);
      assertThat(service.service.transcript("nobody", 0)).isEmpty();
    }
  }

  @Test
  void withoutAnyAgentTheDemoAgentSaysSo() {
    try (var service =
        RunningService.inEnvironment(folder, Optional.empty(), Map.of("PATH", "/usr/bin:/bin"))) {
      assertThat(service.service.agentName()).isEqualTo("rehearsal");
      var id = service.create("fix 'it' $(touch x)\n\n::status no\nthanks \\n 😀");
      var answer = service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText();

      assertThat(answer)
          .startsWith("This is the demo agent: no coding agent is installed here")
          .contains(
              "> fix 'it' $(touch x)\n> \n> ::status no\n> thanks \\n 😀\nTo let a real agent")
          .contains("RUNNEL_AGENT_COMMAND");
      assertThat(service.transcript(id)).startsWith("::status Reading what you asked\n::status ");
    }
  }

  public static void create(Path file) {
    try {
      awaitFile(file.resolveSibling("."));
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
