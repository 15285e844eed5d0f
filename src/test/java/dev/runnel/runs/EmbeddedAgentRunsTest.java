package dev.runnel.runs;

import static dev.runnel.testkit.AgentRunsContract.done;
import static dev.runnel.testkit.AgentRunsContract.newKey;
import static dev.runnel.testkit.AgentRunsContract.prompt;
import static dev.runnel.testkit.AgentRunsContract.seen;
import static dev.runnel.testkit.AgentRunsContract.startedBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.client.RunsClient;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Replies;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.testkit.AgentRunsContract;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.testkit.FaultyProxy;
import dev.runnel.wire.CreateRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The real embedded service, behind a proxy that hides what the public one has not: its keys.
@Tag("slow")
class EmbeddedAgentRunsTest implements AgentRunsContract {
  /// Does what a file of its run's name says, once.
  private static final String AGENT =
      """
      cat > /dev/null
      told="%s/$RUNNEL_RUN_ID"
      while true; do
        if [ -f "$told" ]; then
          read -r state message < "$told"
          rm "$told"
          case "$state" in
            RUNNING) echo "::status $message" ;;
            BLOCKED) echo "::blocked $message"; exit 0 ;;
            SUCCEEDED) echo "$message"; exit 0 ;;
            FAILED) echo "$message" >&2; exit 1 ;;
          esac
        fi
        sleep 0.02
      done
      """;

  @TempDir Path folder;
  private Path told;
  private EmbeddedService service;
  private FaultyProxy proxy;
  private RunsClient client;
  private ClientAgentRuns runs;

  @BeforeEach
  void start() throws IOException {
    told = Files.createDirectory(folder.resolve("told"));
    service = new EmbeddedService(folder, AGENT.formatted(told));
    proxy = new FaultyProxy(service.uri());
    client =
        RunsClient.builder()
            .baseUrl(proxy.uri("/api/v1"))
            .apiKey(EmbeddedService.KEY)
            .deadline(Duration.ofSeconds(10))
            .maxRetries(0)
            .build();
    runs = new ClientAgentRuns(client, false);
  }

  @AfterEach
  void stop() {
    client.close();
    proxy.close();
    service.close();
  }

  @Override
  public AgentRuns runs() {
    return runs;
  }

  @Override
  public void moves(RunId run, RunState state, String message) {
    try {
      // Appears whole: the agent may look at any moment.
      var written = Files.writeString(told.resolve("new"), state + " " + message + "\n");
      Files.move(written, told.resolve(run.value()), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void goesDown() {
    proxy.close();
  }

  @Test
  void replyToAWorkingAgentWaitsUntilAStopReturnsIt() {
    try (var direct =
        RunsClient.builder()
            .baseUrl(service.uri().resolve("/api/v1"))
            .apiKey(EmbeddedService.KEY)
            .build()) {
      var known = new ClientAgentRuns(direct, true);
      var run = done(known.start(prompt("Fix the test"), newKey()));
      await().until(() -> done(known.find(run.id())).state() == RunState.RUNNING);
      var reply = newKey();

      assertThat(done(known.followUp(run.id(), "and the docs", reply)).replies())
          .contains(new Replies(Set.of(reply), Set.of()));
      assertThat(seen(known.unfinished()))
          .singleElement()
          .matches(it -> it.replies().orElseThrow().waiting().contains(reply));
      assertThat(done(known.cancel(run.id())).replies())
          .contains(new Replies(Set.of(), Set.of(reply)));
    }
  }

  @Test
  void aStartWhoseAnswerWasLostIsFoundAlsoWhereTheFilterIsRefused() {
    var key = newKey();
    proxy.refusesMetadataFilter();
    proxy.spoil(FaultyProxy.Fault.BAD_GATEWAY);

    assertThat(runs.start(prompt("Fix the test"), key)).isInstanceOf(Outcome.Unavailable.class);

    assertThat(done(startedBy(runs, key)).delivery()).contains(key);
    assertThat(startedBy(runs, newKey())).isEqualTo(new Outcome.Missing());
  }

  @Test
  void startedRunIsNotConfusedWithItsChildRuns() {
    var key = newKey();
    var run = done(runs.start(prompt("Fix the test"), key));
    for (int i = 0; i < 3; i++) {
      client
          .runs()
          .create(CreateRun.builder().prompt("A part").parentRunId(run.id().value()).build())
          .send();
    }

    assertThat(done(startedBy(runs, key)).id()).isEqualTo(run.id());
  }
}
