package dev.runnel.service.execution;

import static dev.runnel.service.RunningService.awaitFile;
import static dev.runnel.service.RunningService.createFile;
import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.database.Database;
import dev.runnel.service.EnvironmentRuns;
import dev.runnel.service.Living;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.process.ProcessTree;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.store.RunTable;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class CancelTest {
  @TempDir Path folder;

  @Test
  void aQueuedRunIsCancelledAtOnce() {
    try (var service = RunningService.withCommand(folder, "sleep 300", 1)) {
      var working = service.create("x");
      var queued = service.create("y");
      service.awaitState(working, "INPROGRESS");

      var answer = service.cancel(queued);

      assertThat(answer.body()).isEqualTo("\"" + queued + "\"");
      assertThat(service.state(queued)).isEqualTo("CANCELLED");
      assertThat(folder.resolve("workspaces/" + queued)).doesNotExist();
    }
  }

  @Test
  void cancelOfARunningRunReturnsAfterItsProcessesEnded() throws IOException {
    try (var service =
        RunningService.withCommand(folder, "sleep 300 & echo $! > child; touch ready; wait")) {
      var id = service.create("x");
      awaitFile(folder.resolve("workspaces/" + id + "/ready"));

      var answer = service.cancel(id);

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("\"" + id + "\"");
      assertThat(service.state(id)).isEqualTo("CANCELLED");
      assertThat(Living.is(pid(id, "child"))).isFalse();
    }
  }

  @Test
  void cancelDropsWaitingMessagesAndTheRunCanBeContinued() throws IOException {
    try (var service =
        RunningService.withCommand(
            folder,
            "cat > said$RUNNEL_EXECUTION; [ $RUNNEL_EXECUTION = 1 ] && sleep 300; echo ok")) {
      var id = service.create("x");
      awaitFile(folder.resolve("workspaces/" + id + "/said1"));
      service.followUp(id, "dropped");
      service.cancel(id);
      assertThat(service.state(id)).isEqualTo("CANCELLED");

      assertThat(service.followUp(id, "again").get("outcome").asText())
          .isEqualTo("handoff_execution");
      service.awaitState(id, "SUCCEEDED");
      assertThat(Files.readString(folder.resolve("workspaces/" + id + "/said2")))
          .isEqualTo("again");
    }
  }

  @Test
  void aRunThatIsStoppedBeforeItBeganKeepsNothingOfWhatWasAsked() throws IOException {
    try (var service =
        RunningService.withCommand(
            folder,
            "cat > part; mv part said; while [ ! -e go ]; do sleep 0.05; done; cat said",
            1)) {
      var working = service.create("hold the place");
      service.awaitState(working, "INPROGRESS");
      var id = service.create("drop the table");
      service.followUp(id, "and the index");
      service.cancel(id);
      assertThat(unread(service.run(id))).containsExactly("and the index");

      service.followUp(id, "only look");
      createFile(folder.resolve("workspaces/" + working + "/go"));
      awaitFile(folder.resolve("workspaces/" + id + "/said"));

      assertThat(Files.readString(folder.resolve("workspaces/" + id + "/said")))
          .isEqualTo("only look");
      createFile(folder.resolve("workspaces/" + id + "/go"));
      service.awaitState(id, "SUCCEEDED");
    }
  }

  @Test
  void aRunThatIsStoppedWhileItIsPreparedKeepsNothingOfWhatWasAsked() throws IOException {
    var slow = "[ -e %1$s/again ] || { touch %1$s/preparing; sleep 300; }".formatted(folder);
    var setup = EnvironmentRuns.environments(EnvironmentRuns.web("slow", List.of(slow)));
    try (var service = RunningService.with(folder, "tee " + folder.resolve("said"), 1, setup)) {
      var id = EnvironmentRuns.runIn(service, "slow");
      awaitFile(folder.resolve("preparing"));
      service.cancel(id);
      createFile(folder.resolve("again"));

      service.followUp(id, "only look");
      service.awaitState(id, "SUCCEEDED");
      assertThat(Files.readString(folder.resolve("said"))).isEqualTo("only look");
    }
  }

  @Test
  void cancelReturnsTheWaitingMessages() {
    try (var service =
        RunningService.withCommand(folder, "touch ready$RUNNEL_EXECUTION; exec sleep 300")) {
      var id = service.create("x");
      awaitFile(folder.resolve("workspaces/" + id + "/ready1"));
      var first = service.followUp(id, "run the linter").get("followup_id");
      service.followUp(id, "what does this do?");
      var waiting = service.run(id).get("pending_followups");
      assertThat(waiting)
          .extracting(it -> it.path("message").asText())
          .containsExactly("run the linter", "what does this do?");
      assertThat(waiting.get(0).get("followup_id")).isEqualTo(first);
      assertThat(unread(service.run(id))).isEmpty();
      service.cancel(id);

      var run = service.run(id);
      assertThat(run.get("pending_followups")).isEmpty();
      assertThat(unread(run)).containsExactly("run the linter", "what does this do?");
    }
  }

  @Test
  void messageReadByTheAgentIsNotReturnedByACancel() {
    try (var service =
        RunningService.withCommand(
            folder,
            "touch ready; while [ $RUNNEL_EXECUTION = 1 ]; do sleep 0.05; [ ! -e go ] || exit 0;"
                + " done; exec sleep 300")) {
      var id = service.create("x");
      awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      service.followUp(id, "second");
      createFile(folder.resolve("workspaces/" + id + "/go"));

      await().untilAsserted(() -> assertThat(service.run(id).get("pending_followups")).isEmpty());
      service.cancel(id);
      assertThat(unread(service.run(id))).isEmpty();
    }
  }

  private static List<String> unread(JsonNode run) {
    return StreamSupport.stream(run.path("unread_followups").spliterator(), false)
        .map(each -> each.path("message").asText())
        .toList();
  }

  @Test
  void messageDuringACancelIsProcessedAfterwards() throws Exception {
    try (var service =
        RunningService.withCommand(
            folder,
            "[ $RUNNEL_EXECUTION = 1 ] || { sleep 0.5; cat; exit 0; };"
                + " trap 'touch told' TERM; touch ready; while :; do sleep 0.1; done")) {
      var id = service.create("x");
      awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      var cancel = Thread.ofVirtual().start(() -> service.cancel(id));
      awaitFile(folder.resolve("workspaces/" + id + "/told"));

      assertThat(service.followUp(id, "do this instead").get("outcome").asText())
          .isEqualTo("queue_pending");

      cancel.join();
      assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("do this instead");
    }
  }

  @Test
  void everyCancelBeforeTheEndIsConfirmed() throws Exception {
    // It takes its time to die, so that all have asked by then.
    var command = "trap 'sleep 2; exit 1' TERM; touch ready; while :; do sleep 0.1; done";
    try (var service = RunningService.withCommand(folder, command)) {
      var id = service.create("x");
      awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
        var answers =
            callers.invokeAll(
                Collections.<Callable<HttpResponse<String>>>nCopies(8, () -> service.cancel(id)));
        for (var answer : answers) {
          assertThat(answer.get().statusCode()).as(answer.get().body()).isEqualTo(200);
        }
      }
      assertThat(service.state(id)).isEqualTo("CANCELLED");
      assertThat(service.cancel(id).statusCode()).isEqualTo(400);
    }
  }

  @Test
  void anEndedRunCannotBeCancelled() {
    try (var service = RunningService.withCommand(folder, "echo ok")) {
      var id = service.create("x");
      service.awaitState(id, "SUCCEEDED");
      var answer = service.cancel(id);

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(problem(answer)).isEqualTo("invalid_request");
    }
  }

  @Test
  void aRunThatWaitsForAPersonIsCancelledIfTheCallerAsksForThat() {
    try (var service = RunningService.withCommand(folder, "echo '::blocked Which branch?'")) {
      var id = service.create("x");
      service.awaitState(id, "BLOCKED");

      assertThat(service.cancel(id).body()).contains("include_blocked=true");
      assertThat(problem(service.cancel(id, "perhaps"))).isEqualTo("invalid_request");
      assertThat(service.state(id)).isEqualTo("BLOCKED");
      assertThat(service.cancel(id, "true").statusCode()).isEqualTo(200);
      assertThat(service.state(id)).isEqualTo("CANCELLED");
      service.followUp(id, "main");
      service.awaitState(id, "BLOCKED");
    }
  }

  @Test
  void anUnknownRunIsNotFound() {
    try (var service = RunningService.withCommand(folder, "echo ok")) {
      assertThat(problem(service.cancel("nobody"))).isEqualTo("resource_not_found");
    }
  }

  @Test
  void aRunCancelledInTheMomentOfItsStartLeavesNothing() {
    try (var service = RunningService.withCommand(folder, "exec sleep 301")) {
      for (int i = 0; i < 10; i++) {
        var id = service.create("x");
        assertThat(service.cancel(id).statusCode()).isEqualTo(200);
        assertThat(service.state(id)).isEqualTo("CANCELLED");
        assertThat(
                ProcessTree.ofOrphan(
                        new RunTable.ClaimedExecution(
                            id, 1, "", "", Optional.empty(), Optional.empty()))
                    .isEmpty())
            .as("processes of run %d", i)
            .isTrue();
      }
    }
  }

  @Test
  void aRunThatIsBeingCancelledCannotStartRunsBelowIt() throws Exception {
    var command =
        "printf %s \"$RUNNEL_AGENT_API_KEY\" > key; trap 'touch told' TERM; touch ready;"
            + " while :; do sleep 0.1; done";
    try (var service = RunningService.withCommand(folder, command)) {
      var id =
          service.create(
              RunningService.JSON
                  .createObjectNode()
                  .put("prompt", "Lead")
                  .put("mode", "orchestrate"));
      var workspace = folder.resolve("workspaces/" + id);
      awaitFile(workspace.resolve("ready"));
      var cancel = Thread.ofVirtual().start(() -> service.cancel(id));
      awaitFile(workspace.resolve("told"));

      var key = Files.readString(workspace.resolve("key"));
      var answer =
          service.send(
              HttpRequest.newBuilder(service.uri("/api/v1/agent/runs"))
                  .header("Authorization", "Bearer " + key)
                  .POST(BodyPublishers.ofString("{\"prompt\":\"x\"}")));
      assertThat(problem(answer)).isEqualTo("authentication_required");
      cancel.join();
    }
  }

  @Test
  void aRunCancelledBeforeItsSetupRunsNoCommand() {
    var setup = environments(List.of("touch " + folder.resolve("set-up")));
    var spawner =
        new BeforeStart() {
          @Override
          void beforeThread(String name) {
            if (name.startsWith("run ")) {
              cancelElsewhere();
            }
          }
        };
    try (var service = RunningService.withSpawner(folder, "sleep 300", setup, spawner)) {
      var id = EnvironmentRuns.runIn(service, "web");

      service.awaitState(id, "CANCELLED");
      assertThat(folder.resolve("set-up")).doesNotExist();
    }
  }

  @Test
  void aRunCancelledDuringItsSetupStartsNoAgent() {
    var setup = environments(List.of("touch ready; until [ -e go ]; do sleep 0.05; done"));
    var command = "trap '' TERM; touch " + folder.resolve("agent");
    try (var service = RunningService.with(folder, command, 1, setup)) {
      var id = EnvironmentRuns.runIn(service, "web");
      awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      cancelElsewhere();
      createFile(folder.resolve("workspaces/" + id + "/go"));

      service.awaitState(id, "CANCELLED");
      assertThat(folder.resolve("agent")).doesNotExist();
    }
  }

  @Test
  void aRunCancelledDuringItsSetupRunsNoFurtherCommand() {
    var next = folder.resolve("next");
    var setup =
        environments(
            List.of(
                "trap 'exit 0' TERM; touch ready; while :; do sleep 0.05; done",
                "trap '' TERM; touch " + next));
    try (var service = RunningService.with(folder, "sleep 300", 1, setup)) {
      var id = EnvironmentRuns.runIn(service, "web");
      awaitFile(folder.resolve("workspaces/" + id + "/ready"));
      service.cancel(id);

      service.awaitState(id, "CANCELLED");
      assertThat(next).doesNotExist();
    }
  }

  @Test
  void aSetupCommandThatStartsAfterTheCancelIsEnded() {
    var cancel = new CompletableFuture<Runnable>();
    var spawner =
        new BeforeStart() {
          @Override
          void beforeProcess(ProcessBuilder builder) {
            if (builder.command().contains("sleep 301")) {
              cancel.join().run();
            }
          }
        };
    var setup = environments(List.of("sleep 301"));
    try (var service = RunningService.withSpawner(folder, "sleep 300", setup, spawner)) {
      var id = EnvironmentRuns.runIn(service, "web");
      cancel.complete(() -> service.cancel(id));

      service.awaitState(id, "CANCELLED");
    }
  }

  @Test
  void anAgentThatStartsAfterTheCancelIsEnded() {
    var spawner =
        new BeforeStart() {
          @Override
          void beforeProcess(ProcessBuilder builder) {
            cancelElsewhere();
          }
        };
    try (var service = RunningService.withSpawner(folder, "sleep 300", Setup.USUAL, spawner)) {
      service.awaitState(service.create("x"), "CANCELLED");
    }
  }

  private static Setup environments(List<String> commands) {
    return EnvironmentRuns.environments(EnvironmentRuns.web("web", commands));
  }

  /// Requests the cancellation of what runs in the rows only, so that the execution is not told.
  private void cancelElsewhere() {
    try (var database = Database.sqlite(folder.resolve("agent-runs.db"))) {
      assertThat(
              database.<Integer>write(
                  rows ->
                      rows.change("UPDATE runs SET cancel_asked = 1 WHERE state = 'INPROGRESS'")))
          .isOne();
    }
  }

  /// The machine's processes and threads, with something that happens just before a start.
  private abstract static class BeforeStart implements Spawner {
    private final Spawner system = Spawner.system();

    void beforeProcess(ProcessBuilder unused) {}

    void beforeThread(String unused) {}

    @Override
    public Process process(ProcessBuilder builder) throws IOException {
      beforeProcess(builder);
      return system.process(builder);
    }

    @Override
    public Thread virtual(String name, Runnable work) {
      beforeThread(name);
      return system.virtual(name, work);
    }

    @Override
    public Thread daemon(String name, Runnable work) {
      return system.daemon(name, work);
    }
  }

  private String pid(String run, String file) throws IOException {
    return Files.readString(folder.resolve("workspaces/" + run + "/" + file)).strip();
  }
}
