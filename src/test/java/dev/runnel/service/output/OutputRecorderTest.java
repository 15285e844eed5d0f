package dev.runnel.service.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.database.Database;
import dev.runnel.service.agent.AgentEvent;
import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.agent.Dialogue;
import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.isolation.RunMemory;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.ToolCall;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.run.limit.CostLimit;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TextSink;
import dev.runnel.text.Redactor;
import dev.runnel.wire.ArtifactItem;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is stored of an agent's output, also if the database does not accept it for a while.
class OutputRecorderTest {
  private static final CommandAgent AGENT = new CommandAgent("command", "x");
  private static final LaunchFiles FILES =
      new LaunchFiles(
          Path.of("agent"),
          Path.of("workspace"),
          Map.of(),
          AgentAccess.FULL,
          PermissionRules.NONE,
          false,
          true);
  private static final String PULL_REQUEST = "https://github.com/acme/shop/pull/7";
  private static final String SESSION = "session";
  private static final String USAGE = "usage";
  private static final String OUTAGE_BEGINS = "outage begins";
  private static final String OUTAGE_ENDS = "outage ends";
  private static final String TOO_DEEP = "too deep";
  private static final String NO_THREADS = "no threads";
  private static final String BLOCKS = "blocks";
  private static final String MESSAGE = "message";

  /// As much as lines can take without borrowing.
  private static final int ALL_OF_THE_LINES = 1024 * 1024;

  private static final String OUTAGE =
      "CREATE TRIGGER outage BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'outage'); END";

  /// Reaches from one batch of lines into the next.
  private static final int MANY_LINES = 1000;

  private final SettableClock clock = new SettableClock();
  private Path folder;
  private Database database;
  private RunQueries queries;
  private RunChanges changes;
  private ExecutionRequest execution;
  private Callable<List<AgentEvent>> blocked = List::of;
  private String message = "";

  @BeforeEach
  void open(@TempDir Path temporary) {
    folder = temporary;
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    queries = new RunQueries(database);
    changes = RunChanges.on(database, clock);
    changes
        .runs()
        .create(
            NewRun.parse(ServiceJson.newObject().put("prompt", "x")),
            Caller.MAIN,
            Optional.empty(),
            Optional.empty());
    execution = changes.records().claimNext(0).orElseThrow();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void theEndOfTheOutputIsStoredWhenTheDatabaseIsBack() throws InterruptedException {
    change(OUTAGE);

    record(this::endOutage, SESSION, USAGE, PULL_REQUEST);

    assertThat(pullRequests()).containsExactly(PULL_REQUEST);
    assertThat(run().agentSession()).contains("command:1");
    assertThat(run().dollars()).isEqualTo("0.25");
    assertThat(notes())
        .containsExactly(
            "The model read 10 tokens and wrote 2, for $0.25, as the agent program reports.");
  }

  @Test
  void endOfTheOutputIsDiscardedIfTheNodeMustStop() throws InterruptedException {
    change(OUTAGE);

    record(() -> false, SESSION, USAGE, PULL_REQUEST);

    assertThat(pullRequests()).isEmpty();
    assertThat(run().dollars()).isZero();
  }

  @Test
  void pullRequestsInStatusLinesQuestionsAndOptionsBecomeArtifacts() throws InterruptedException {
    record(
        () -> false,
        "::status Opened https://github.com/acme/shop/pull/1",
        "::blocked Merge https://github.com/acme/shop/pull/2?",
        "::option https://github.com/acme/shop/pull/3 first");

    assertThat(pullRequests())
        .containsExactly(
            "https://github.com/acme/shop/pull/1",
            "https://github.com/acme/shop/pull/2",
            "https://github.com/acme/shop/pull/3");
  }

  @Test
  void usageFromBeforeAnOutageIsStoredAfterwards() throws InterruptedException {
    var lines = new String[MANY_LINES];
    Arrays.fill(lines, "working");
    lines[0] = OUTAGE_BEGINS;
    lines[1] = USAGE;
    lines[MANY_LINES - 1] = OUTAGE_ENDS;

    record(() -> false, lines);

    assertThat(run().dollars()).isEqualTo("0.25");
  }

  @Test
  void usageThatMayHaveBeenStoredIsNotStoredAgain() throws InterruptedException {
    change("CREATE TABLE a (id INTEGER PRIMARY KEY)");
    change("CREATE TABLE b (id INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)");
    change("CREATE TRIGGER outage AFTER UPDATE ON runs BEGIN INSERT INTO b VALUES (1); END");

    record(this::endOutage, SESSION, USAGE, PULL_REQUEST);

    assertThat(pullRequests()).containsExactly(PULL_REQUEST);
    assertThat(run().agentSession()).contains("command:1");
    assertThat(run().dollars()).isZero();
    assertThat(notes()).isEmpty();
  }

  @Test
  void lineThatCannotBeHandledIsLeftOutAndTheNextOnesAreRecorded() throws InterruptedException {
    record(() -> false, "before", TOO_DEEP, "after");

    assertThat(said()).containsExactly("before", "after");
    assertThat(notes())
        .containsExactly("A line of the output was left out, because it could not be read.");
  }

  @Test
  void thousandsOfFoldersInAnAddressAreRecordedAsTheyAre() throws InterruptedException {
    var line = "https://h/" + "a/".repeat(1_000);

    record(() -> false, line, "after");

    assertThat(said()).containsExactly(line, "after");
  }

  @Test
  void cutLineIsNamedInTheTranscript() throws InterruptedException {
    record(() -> false, "word ".repeat(300_000));

    assertThat(said().getFirst()).endsWith("…");
    assertThat(notes())
        .containsExactly(
            "A line of the output was longer than 1 MiB, and cut where it ends with ….");
  }

  @Test
  void errorThatEndsTheRecordingReleasesAllWhoWaitForIt() throws InterruptedException {
    var memory = TextSink.memoryOfARun();
    var failed = new CountDownLatch(1);
    try (var steering = steering()) {
      var recorder = recorder(steering, memory, () -> false, failed::countDown);
      TextSink.write(recorder, NO_THREADS);

      failed.await();

      assertThat(recorder.finish(() -> false)).isEqualTo(OutputCollector.Summary.NONE);
      assertThat(recorder.failure()).containsInstanceOf(OutOfMemoryError.class);
      assertThatThrownBy(() -> TextSink.write(recorder, "more"))
          .isInstanceOf(IllegalStateException.class);
      memory.take(ALL_OF_THE_LINES);
    }
  }

  @Test
  void stoppedRunRecordsNoMoreThanItsLastLinesAndSaysSo() throws InterruptedException {
    var memory = TextSink.memoryOfARun();
    var reached = new CountDownLatch(1);
    var goesOn = new CountDownLatch(1);
    blocked =
        () -> {
          reached.countDown();
          goesOn.await();
          return List.of();
        };
    try (var steering = steering()) {
      var recorder = recorder(steering, memory, () -> false, () -> {});
      TextSink.write(recorder, BLOCKS);
      reached.await();
      for (int i = 0; i < MANY_LINES; i++) {
        TextSink.write(recorder, "noise");
      }
      recorder.stop(Duration.ZERO);
      goesOn.countDown();

      recorder.finish(() -> true);

      assertThat(recorder.failure()).isEmpty();
      assertThat(said()).isEmpty();
      assertThat(notes())
          .containsExactly(
              "1,000 lines of the output were not recorded, because the run was stopped.");
    }
  }

  @Test
  void messageOfVeryManyLinesIsStoredInParts() throws InterruptedException {
    var lines = "x\n".repeat(200_000);
    message = lines;

    record(() -> false, MESSAGE);

    // The first line is the prompt.
    assertThat(queries.lastLine(execution.runId())).isEqualTo(200_001);
  }

  @Test
  void pullRequestsOfOneLineAreLimited() throws InterruptedException {
    record(
        () -> false,
        IntStream.range(0, 20_000)
            .mapToObj(i -> "https://github.com/acme/shop/pull/" + i)
            .collect(Collectors.joining(" ")));

    assertThat(pullRequests()).hasSize(50);
  }

  @Test
  void callThatIsTooLongToBeKeptIsNotAskedAbout() {
    var memory = TextSink.memoryOfARun();
    try (var steering = steering()) {
      var requests =
          new PermissionRequests(execution, new Asking(), steering, changes.records(), memory);

      requests.handleLine("x".repeat(900_000));
      assertThat(requests.callToAsk()).isEmpty();

      requests.handleLine("x".repeat(100_000));
      assertThat(requests.callToAsk()).isPresent();
      assertThat(memory.hasRoomForInput(2 * 1024 * 1024)).isFalse();

      requests.forget();
      assertThat(memory.hasRoomForInput(2 * 1024 * 1024)).isTrue();
    }
  }

  /// An agent whose lines all ask for the same permission.
  private static final class Asking implements Dialogue.WithPermissions {
    @Override
    public Optional<PermissionRequest> permissionRequest(String line) {
      return Optional.of(
          new PermissionRequest(
              "1",
              Optional.of(new ToolCall("Bash", ServiceJson.newObject().put("command", "ls")))));
    }

    @Override
    public String permit(String request, ToolCall call) {
      return "";
    }

    @Override
    public String refuse(String request, String why, boolean interrupts) {
      return "";
    }

    @Override
    public Optional<String> message(String id, String text) {
      return Optional.empty();
    }

    @Override
    public List<AgentEvent> parse(String line) {
      return List.of();
    }
  }

  private Steering steering() {
    return new Steering(execution, this::parse, changes.records(), new RunWatchers(), () -> {});
  }

  private OutputRecorder recorder(
      Steering steering, RunMemory memory, BooleanSupplier awaitRetry, Runnable whenFailed) {
    return new OutputRecorder(
        Spawner.system(),
        execution,
        new OutputCollector(
            execution, AGENT, this::parse, folder, folder, CostLimit.NONE, Redactor.PATTERNS),
        steering,
        new PermissionRequests(execution, this::parse, steering, changes.records(), memory),
        changes.records(),
        memory,
        awaitRetry,
        whenFailed);
  }

  private void record(BooleanSupplier awaitRetry, String... lines) throws InterruptedException {
    var steering = steering();
    var recorder = recorder(steering, TextSink.memoryOfARun(), awaitRetry, () -> {});
    for (var line : lines) {
      TextSink.write(recorder, line);
    }
    recorder.finish(() -> false);
    steering.close();
  }

  private List<AgentEvent> parse(String line) {
    return switch (line) {
      case SESSION -> List.of(new AgentEvent.Session("1"));
      case USAGE ->
          List.of(
              new AgentEvent.UsageReport(
                  new Usage(10, 2, Optional.of(new BigDecimal("0.25")), false)));
      case OUTAGE_BEGINS -> {
        change(OUTAGE);
        yield List.of(new AgentEvent.Status(line));
      }
      case TOO_DEEP -> throw new StackOverflowError();
      case NO_THREADS -> throw new OutOfMemoryError("unable to create native thread");
      case BLOCKS -> {
        try {
          yield blocked.call();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
      case MESSAGE -> List.of(new AgentEvent.Message(message));
      case OUTAGE_ENDS -> {
        endOutage();
        yield List.of();
      }
      default -> AGENT.outputParser(execution, FILES).parse(line);
    };
  }

  private boolean endOutage() {
    change("DROP TRIGGER outage");
    return true;
  }

  private void change(String sql) {
    var _ = database.<Integer>write(rows -> rows.change(sql));
  }

  private RunRow run() {
    return queries.find(execution.runId()).orElseThrow();
  }

  private List<String> pullRequests() {
    return run().artifactItems().stream()
        .map(ArtifactItem.PullRequest.class::cast)
        .map(ArtifactItem.PullRequest::url)
        .toList();
  }

  private List<String> said() {
    return texts(TranscriptLine.Kind.SAID);
  }

  private List<String> notes() {
    return texts(TranscriptLine.Kind.NOTE);
  }

  private List<String> texts(TranscriptLine.Kind kind) {
    return queries.transcript(execution.runId(), 0).orElseThrow().lines().stream()
        .filter(line -> line.kind() == kind)
        .map(TranscriptLine::text)
        .toList();
  }
}
