package dev.runnel.service;

import static dev.runnel.service.RunningService.createFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.isolation.ExecutorContract;
import dev.runnel.service.isolation.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Agents that work on this machine without isolation.
@Tag("slow")
public class CommandRunTest implements ExecutorContract {
  @TempDir Path folder;

  @Override
  public Path folder() {
    return folder;
  }

  @Override
  public Isolation isolation() {
    return new Isolation.None();
  }

  @Test
  void endedRunHasItsTitleItsTimesAndItsCreator() {
    try (var service = RunningService.withCommand(folder, "echo done")) {
      var id = service.create("Fix the flaky test, please");
      var run = service.awaitState(id, "SUCCEEDED");

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
    }
  }

  @Test
  void questionChoicesAreListedBelowTheQuestion() {
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
  void outputOverTheLimitIsTruncatedWithANotice() {
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
  void runsStartInOrderWithinTheSlotLimit() throws IOException {
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
  void watchersAreNotifiedOfNewLinesEvenIfOneOfThemFails() throws Exception {
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
        createFile(folder.resolve("workspaces/" + id + "/go"));
        service.awaitState(id, "SUCCEEDED");
      }
      assertThat(told.get()).isGreaterThanOrEqualTo(2);
      assertThat(service.service.transcript("nobody", 0)).isEmpty();
    }
  }

  @Test
  void demoAgentExplainsThatNoAgentIsInstalled() {
    try (var service =
        RunningService.inEnvironment(folder, Optional.empty(), Map.of("PATH", "/usr/bin:/bin"))) {
      assertThat(service.service.agentName()).isEqualTo("rehearsal");
      var id = service.create("fix 'it' $(touch x)\n\n::status no\nthanks \\n 😀");
      var answer = service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText();

      assertThat(answer)
          .startsWith("This is the demo agent: no coding agent is installed here")
          .contains("RUNNEL_AGENT_COMMAND")
          .endsWith("\nYou asked:\n> fix 'it' $(touch x)\n> \n> ::status no\n> thanks \\n 😀");
      assertThat(service.transcript(id)).startsWith("::status Reading what you asked\n::status ");
    }
  }
}
