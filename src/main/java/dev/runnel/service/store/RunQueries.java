package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.RunNumbers;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.TranscriptPart;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.query.RunQuery;
import dev.runnel.wire.TimelineEvent;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// All read queries about runs, each in its own transaction.
///
/// @param personLimit the maximum number of slots for the runs of one person
public record RunQueries(Database database, PersonLimit personLimit) {
  /// Computes the maximum number of slots for the runs of one person.
  @FunctionalInterface
  public interface PersonLimit {
    int maxSlots(Rows rows) throws SQLException;
  }

  /// Queries without a limit per person.
  public RunQueries(Database database) {
    this(database, _ -> Integer.MAX_VALUE);
  }

  private static final int PAGE = 1000;

  /// Executions whose processes may be running on a node; at startup, those that the previous
  /// process did not finish.
  ///
  /// @param nodeName see [dev.runnel.service.run.NodeIdentity#name]
  public List<RunTable.ClaimedExecution> executionsOn(String nodeName) {
    return database.read(rows -> new RunTable(rows).executionsOn(nodeName));
  }

  /// Whether a claim of a known run is no longer valid.
  public boolean isClaimOver(String runId, String claim) {
    return database.read(rows -> new RunTable(rows).isClaimOver(runId, claim));
  }

  /// The place of the run's workspace; empty before the first start of its agent.
  public Optional<String> place(String runId) {
    return database.read(rows -> new RunTable(rows).place(runId));
  }

  /// The host name of the last node with this place; empty if there was none.
  public Optional<String> hostOf(String place) {
    return database.read(rows -> NodeMembership.hostOf(rows, place));
  }

  /// Time of the latest change to any run; the epoch if there is none.
  public Instant newestChange() {
    return database
        .<Optional<Instant>>read(rows -> new RunTable(rows).newestChange())
        .orElse(Instant.EPOCH);
  }

  /// The first runs that were changed after a time, earliest change first; at most [#PAGE].
  public List<RunTable.Changed> changedSince(Instant since) {
    return database.read(rows -> new RunTable(rows).changedSince(since, PAGE));
  }

  /// Number of runs that have not ended, by state.
  public Map<ExecutionState, Long> unfinished() {
    return database.read(rows -> new RunTable(rows).unfinished());
  }

  public Optional<RunRow> find(String runId) {
    return database.read(rows -> new RunTable(rows).find(runId));
  }

  /// The run as shown to people: a queued run includes its position in the queue.
  public Optional<RunRow> show(String runId) {
    return database.read(
        rows -> {
          var runs = new RunTable(rows);
          var run = runs.find(runId);
          return run.isPresent()
              ? Optional.of(withQueuePositions(List.of(run.get()), runs).getFirst())
              : Optional.<RunRow>empty();
        });
  }

  public RunQuery.Page list(RunQuery query) {
    return database.read(
        rows -> {
          var page = query.run(rows);
          return new RunQuery.Page(
              withQueuePositions(page.runs(), new RunTable(rows)), page.nextCursor());
        });
  }

  /// Follow-ups that no agent has received, by run.
  public Map<String, List<UnreadFollowUp>> unread(Collection<RunRow> all) {
    var ids = all.stream().map(RunRow::id).toList();
    return database.<List<UnreadFollowUp>>read(rows -> new FollowUpRows(rows).unread(ids)).stream()
        .collect(Collectors.groupingBy(UnreadFollowUp::runId));
  }

  /// The initial prompt; empty if the run was cancelled before an agent received it.
  public Optional<String> firstPrompt(String runId) {
    return database.read(rows -> new RunTable(rows).firstPrompt(runId));
  }

  private List<RunRow> withQueuePositions(List<RunRow> all, RunTable runs) throws SQLException {
    var queued =
        all.stream().filter(run -> run.state() == ExecutionState.QUEUED).map(RunRow::id).toList();
    if (queued.isEmpty()) {
      return all;
    }
    var places = runs.queue().positions(Set.copyOf(queued), personLimit.maxSlots(runs.rows()));
    return all.stream()
        .map(
            run -> places.containsKey(run.id()) ? run.withQueuePosition(places.get(run.id())) : run)
        .toList();
  }

  /// Reads the state before the lines, so that [TranscriptPart#mayGrow] is true if a line is added
  /// in between.
  public Optional<TranscriptPart> transcript(String runId, long afterLine) {
    var run = find(runId);
    if (run.isEmpty()) {
      return Optional.empty();
    }
    return database.read(
        rows -> {
          var transcript = new TranscriptRows(rows);
          var lines = transcript.after(runId, afterLine, PAGE);
          var working =
              run.get().state() == ExecutionState.INPROGRESS
                  || run.get().state() == ExecutionState.QUEUED;
          var hasMore = !lines.isEmpty() && lines.getLast().number() < transcript.last(runId);
          return Optional.of(new TranscriptPart(lines, working || hasMore));
        });
  }

  /// The number of a transcript's last line; 0 if there is none.
  public long lastLine(String runId) {
    return database.read(rows -> new TranscriptRows(rows).last(runId));
  }

  /// The number of a transcript's last line of error output; 0 if there is none.
  public long lastError(String runId) {
    return database.read(rows -> new TranscriptRows(rows).last(runId, TranscriptLine.Kind.ERROR));
  }

  /// The first lines of a transcript that contain the text.
  public List<TranscriptLine> findLines(String runId, String text, int most) {
    return database.read(rows -> new TranscriptRows(rows).find(runId, text, most));
  }

  /// The runs created in an interval, oldest first, for statistics.
  public List<RunNumbers> numbers(Instant from, Instant to) {
    return database.read(
        rows ->
            rows.list(
                """
                SELECT created_at, state, source, environment_id, model_id, started_at, worked,
                  request_usage
                FROM runs WHERE created_at >= ? AND created_at < ? ORDER BY created_at
                """,
                RunQueries::numbers,
                from,
                to));
  }

  /// The days (UTC) on which the runs were created that changed since an instant.
  public Set<LocalDate> daysChangedSince(Instant from) {
    return database
        .<List<LocalDate>>read(
            rows ->
                rows.list(
                    "SELECT DISTINCT created_at / %d AS day FROM runs WHERE updated_at >= ?"
                        .formatted(TimeUnit.DAYS.toMicros(1)),
                    row -> LocalDate.ofEpochDay(row.getLong("day")),
                    from))
        .stream()
        .collect(Collectors.toSet());
  }

  private static RunNumbers numbers(ResultSet row) throws SQLException {
    var started = row.getLong("started_at");
    return new RunNumbers(
        Rows.instant(row, "created_at"),
        started == 0 ? Optional.empty() : Optional.of(Rows.instant(row, "started_at")),
        Duration.of(row.getLong("worked"), ChronoUnit.MICROS),
        ExecutionState.valueOf(row.getString("state")),
        row.getString("source"),
        Rows.text(row, "environment_id").orElse(""),
        Rows.text(row, "model_id").orElse(""),
        Rows.text(row, "request_usage").map(Usage::fromJson));
  }

  public List<TimelineEvent> timeline(String runId) {
    return database.read(rows -> new EventRows(rows).of(runId));
  }

  boolean isBelow(String runId, String ancestor) {
    return database.read(rows -> new RunTable(rows).isBelow(runId, ancestor));
  }

  public Optional<RunRow> newestOf(String conversationId) {
    return database.read(rows -> new RunTable(rows).newestOf(conversationId));
  }

  /// The newest run that requested an environment by its uid or name.
  ///
  /// @param orNone whether runs that requested no environment count, too
  public Optional<RunRow> newestIn(String uid, String name, boolean orNone) {
    return database.read(rows -> new RunTable(rows).newestIn(uid, name, orNone));
  }

  /// Creation time of the newest run of each skill, by skill spec.
  public Map<String, Instant> lastRunsOfSkills() {
    return database.read(rows -> new RunTable(rows).lastRunsOfSkills());
  }

  /// Ids of a conversation's runs, oldest first.
  public List<String> runsOf(String conversationId) {
    return database.read(rows -> new RunTable(rows).runsOf(conversationId));
  }

  public List<FileRows.StoredAttachment> attachmentsOf(String runId) {
    return database.read(rows -> new FileRows(rows).attachmentsOf(runId));
  }

  public Optional<FileRows.StoredAttachment> attachment(String id) {
    return database.read(rows -> new FileRows(rows).attachment(id));
  }

  /// Streams the content of an attachment; empty if there is none.
  public InputStream attachmentContent(String id) {
    return new SequenceInputStream(new AttachmentPieces(this, id));
  }

  Optional<byte[]> attachmentPiece(String id, int number) {
    return database.read(rows -> new FileRows(rows).content(id, number));
  }

  /// The run that produced an artifact.
  public Optional<RunRow> byArtifact(String uid) {
    return database.read(
        rows -> {
          var runId = new FileRows(rows).runOf(uid);
          return runId.isPresent()
              ? new RunTable(rows).find(runId.get())
              : Optional.<RunRow>empty();
        });
  }

  public Optional<RunRow> bySession(String sessionId) {
    return database.read(rows -> new RunTable(rows).bySession(sessionId));
  }

  /// The runs that have an artifact with this URL, the most likely origin first.
  public List<String> idsByArtifact(String url) {
    return database.read(rows -> new RunTable(rows).idsByArtifact(url));
  }
}
