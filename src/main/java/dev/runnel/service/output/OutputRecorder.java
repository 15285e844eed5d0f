package dev.runnel.service.output;

import dev.runnel.database.DatabaseException;
import dev.runnel.service.agent.AgentEvent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.AgentSession;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.text.Redactor;
import dev.runnel.text.TerminalText;
import dev.runnel.text.Truncation;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records an execution's output in the transcript, as text without secrets and in batches, and
/// collects what is needed to determine the result.
///
/// Memory use is bounded: the queue is short, so an agent that writes too fast is blocked by the
/// disk, and output beyond the maximum transcript size is dropped.
public final class OutputRecorder implements RunningProcess.Sink {
  private static final Logger log = LoggerFactory.getLogger(OutputRecorder.class);
  private static final int MAX_KEPT = 10 * 1024 * 1024;
  private static final int QUEUED_LINES = 64;
  private static final int BATCH = 500;
  private static final long BATCH_MILLIS = 100;
  private static final int ERROR_LINES = 10;
  private static final int ERROR_LENGTH = 500;
  private static final int STATUS_LENGTH = 2000;
  private static final int MAX_PULL_REQUESTS = 50;
  private static final int LINE_LENGTH = 64 * 1024;
  private static final int RESULT_LINES = 40;
  private static final int RESULT_LINE_LENGTH = 500;

  /// In the output of other commands, pull requests belong to other people.
  private static final Pattern OPENS_PULL_REQUEST = Pattern.compile("\\b[pm]r (create|new)\\b");

  /// Summary of the complete output.
  ///
  /// @param answer empty if the agent wrote no text
  /// @param errors the last lines of standard error
  /// @param finished whether the agent reported that it finished
  /// @param hasSession whether the agent reported its session
  /// @param pullRequests the URLs of mentioned pull requests
  /// @param tests the commands that ran tests, as far as the agent tells which commands ran
  public record Summary(
      String answer,
      Optional<String> question,
      Optional<String> failure,
      String errors,
      boolean finished,
      boolean hasSession,
      List<String> pullRequests,
      List<ExecutionEvidence.TestRun> tests) {
    private static final int CANNOT_RUN = 126;
    private static final int NOT_FOUND = 127;

    /// Determines the result. Neither the exit status nor the agent's report is sufficient alone:
    /// some agents exit with 0 when they fail or are killed, others fail after they reported
    /// success.
    public ExecutionResult ending(Harness harness, int status) {
      if (status == 0 && failure.isEmpty()) {
        if (harness.tellsItsEnd() && !finished) {
          return ExecutionResult.failed(
              "The agent ended before it was finished." + (errors.isEmpty() ? "" : "\n" + errors));
        }
        return question
            .map(ExecutionResult::blocked)
            .orElseGet(
                () ->
                    ExecutionResult.succeeded(
                        answer.isEmpty() ? "The agent finished without an answer." : answer));
      }
      if (status == CANNOT_RUN || status == NOT_FOUND) {
        return ExecutionResult.notSetUp(
            errors.isEmpty() ? "The agent's command cannot be run." : errors);
      }
      return ExecutionResult.failed(
          failure
              .or(() -> Optional.of(errors).filter(text -> !text.isEmpty()))
              .orElse("The agent ended with exit status " + status + " and gave no reason."));
    }
  }

  private record Line(Source source, String text) {}

  private enum Source {
    OUT,
    ERR,
    /// End of the output.
    END
  }

  private final ExecutionRequest executionRequest;
  private final Harness harness;
  private final Harness.OutputParser outputParser;
  private final Steering steering;
  private final PermissionRequests permissionRequests;
  private final Path root;
  private final Path folder;
  private final ExecutionRecords records;
  private final Redactor redactor;
  private final BlockingQueue<Line> queue = new ArrayBlockingQueue<>(QUEUED_LINES);
  private final Thread writer;
  private volatile @Nullable Throwable broken;
  // Written by the writer thread only.
  private volatile Usage reported = Usage.NONE;
  private volatile boolean finished;

  // All fields below are confined to the writer thread, and after its end to the thread that joined
  // it.
  private final Redactor.Lines output;
  private final Redactor.Lines errorOutput;
  private final LastParagraph paragraph = new LastParagraph();
  private final Deque<String> errors = new ArrayDeque<>();
  private final List<Entry> entries = new ArrayList<>();
  private final Set<NewArtifact> made = new LinkedHashSet<>();
  private final Set<String> pullRequests = new LinkedHashSet<>();
  private final List<ExecutionEvidence.TestRun> tests = new ArrayList<>();
  private final Deque<String> taken = new ArrayDeque<>();
  private Usage usage = Usage.NONE;
  private Usage usageInAll = Usage.NONE;
  private boolean opensPullRequest;
  private boolean hasSession;
  private @Nullable String status;
  private @Nullable String session;
  private @Nullable String answer;
  private @Nullable String question;
  private int choices;
  private @Nullable String failure;
  private long kept;
  private boolean full;

  /// @param outputParser the parser of this execution, of the harness
  /// @param root the run's workspace
  /// @param folder the agent's working directory
  /// @param redactor removes secrets
  public OutputRecorder(
      Spawner spawner,
      ExecutionRequest executionRequest,
      Harness harness,
      Harness.OutputParser outputParser,
      Steering steering,
      PermissionRequests permissionRequests,
      Path root,
      Path folder,
      ExecutionRecords records,
      Redactor redactor) {
    this.executionRequest = executionRequest;
    this.harness = harness;
    this.outputParser = outputParser;
    this.steering = steering;
    this.permissionRequests = permissionRequests;
    this.root = root;
    this.folder = folder;
    this.records = records;
    this.redactor = redactor;
    this.output = redactor.lines();
    this.errorOutput = redactor.lines();
    this.writer = spawner.virtual("transcript " + executionRequest.runId(), this::write);
  }

  @Override
  public void out(String line) {
    put(new Line(Source.OUT, line));
  }

  @Override
  public void err(String line) {
    put(new Line(Source.ERR, line));
  }

  /// Records the remaining output.
  public Summary finish() throws InterruptedException {
    queue.put(new Line(Source.END, ""));
    writer.join();
    return new Summary(
        answer == null ? paragraph.text() : answer.strip(),
        Optional.ofNullable(question),
        Optional.ofNullable(failure).filter(why -> !why.isBlank()),
        String.join("\n", errors),
        finished,
        hasSession,
        List.copyOf(pullRequests),
        List.copyOf(tests));
  }

  /// What the agent has reported so far that its models used. May be called by any thread.
  Usage reported() {
    return reported;
  }

  /// Whether the agent has finished, and was given no message since. May be called by any thread.
  boolean isFinished() {
    return finished;
  }

  /// Whether all messages that the agent read are stored as read. To be called after [#finish].
  public boolean hasStoredAll() {
    return broken == null && taken.isEmpty();
  }

  private void put(Line line) {
    var why = broken;
    if (why != null) {
      throw new IllegalStateException("The transcript cannot be written", why);
    }
    try {
      queue.put(line);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void write() {
    try {
      while (true) {
        var open = gather();
        save();
        if (!open) {
          return;
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      broken = e;
      discard();
    }
  }

  /// Empties the queue after a failure, so that threads blocked on it continue.
  private void discard() {
    try {
      while (queue.take().source() != Source.END) {
        // Threads that add the next line get an exception.
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Why the output could not be recorded.
  public Optional<Throwable> failure() {
    return Optional.ofNullable(broken);
  }

  /// Waits for a line, then handles further lines until the batch is full or its time is over.
  private boolean gather() throws InterruptedException {
    var line = queue.take();
    var deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BATCH_MILLIS);
    for (int count = 0; line != null; count++) {
      switch (line.source()) {
        case OUT -> {
          permissionRequests.parse(line.text());
          output
              .next(TerminalText.plain(line.text()))
              .ifPresent(it -> parse(it).forEach(this::take));
          if (finished || failure != null) {
            steering.finished();
          }
        }
        case ERR -> errorOutput.next(TerminalText.plain(line.text())).ifPresent(this::takeError);
        case END -> {
          noteUsage();
          return false;
        }
      }
      if (count == BATCH) {
        return true;
      }
      line = queue.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }
    return true;
  }

  /// Parses a line. A line that cannot be parsed is kept as text; a failure here would leave the
  /// agent blocked on its output.
  private List<AgentEvent> parse(String line) {
    try {
      // JSON escapes can hide a secret or an escape sequence in the raw line.
      return outputParser.parse(line).stream()
          .map(agentEvent -> agentEvent.with(text -> redactor.redact(TerminalText.plain(text))))
          .toList();
    } catch (RuntimeException e) {
      log.warn(
          "cannot parse agent output run={} error={}",
          executionRequest.runId(),
          e.getClass().getName());
      return List.of(new AgentEvent.Message(line));
    }
  }

  private void take(AgentEvent agentEvent) {
    switch (agentEvent) {
      case AgentEvent.Message(String text) -> {
        text.lines().forEach(this::say);
        if (text.isEmpty()) {
          say("");
        }
      }
      case AgentEvent.Did did -> {
        opensPullRequest = OPENS_PULL_REQUEST.matcher(did.given()).find();
        status = did.busy();
        keep(TranscriptLine.Kind.DID, did.shown());
      }
      case AgentEvent.Ran(String command, var exit) ->
          ExecutionEvidence.testRun(command, exit).ifPresent(tests::add);
      case AgentEvent.Result(String text, boolean failed) -> takeResult(text, failed);
      case AgentEvent.Status(String text) -> {
        status = Truncation.cut(text, STATUS_LENGTH);
        keep(TranscriptLine.Kind.STATUS, text);
      }
      case AgentEvent.Question(String text) -> {
        choices = 0;
        question = text;
        keep(TranscriptLine.Kind.QUESTION, text);
      }
      case AgentEvent.Choice(String text) -> {
        choices++;
        var numbered = choices + ". " + text;
        question = question == null ? numbered : question + "\n" + numbered;
        keep(TranscriptLine.Kind.QUESTION, numbered);
      }
      case AgentEvent.Answer(String text) -> {
        answer = text;
        findPullRequests(text);
      }
      case AgentEvent.Session(String id) -> {
        if (!id.isBlank()) {
          session = AgentSession.kept(harness.name(), id);
          hasSession = true;
        }
      }
      case AgentEvent.Planned(String text) -> {
        if (!text.isBlank()) {
          made.removeIf(each -> each.type().equals("PLAN"));
          made.add(NewArtifact.plan(executionRequest, text));
        }
      }
      case AgentEvent.Wrote(String path) ->
          NewArtifact.file(executionRequest, root, folder, path).ifPresent(made::add);
      case AgentEvent.Used(Usage more) -> {
        usage = usage.plus(more);
        usageInAll = usageInAll.plus(more);
        reported = usageInAll;
      }
      case AgentEvent.Taken(String id) -> takeMessage(id);
      case AgentEvent.Awaits(String line) -> steering.write(line);
      case AgentEvent.Finished() -> finished = true;
      case AgentEvent.Failure(String why) -> failure = why;
    }
  }

  /// The lines before it are stored before it.
  private void takeMessage(String followUp) {
    if (!steering.isOffered(followUp)) {
      return;
    }
    save();
    taken.add(followUp);
    saveTaken();
    steering.taken(followUp);
    permissionRequests.forget();
    finished = false;
    failure = null;
  }

  private void saveTaken() {
    try {
      for (var next = taken.peekFirst(); next != null; next = taken.peekFirst()) {
        records.taken(executionRequest, next);
        taken.removeFirst();
      }
    } catch (DatabaseException e) {
      log.warn("cannot store messages as read, will retry run={}", executionRequest.runId(), e);
    }
  }

  private void takeResult(String text, boolean failed) {
    if (opensPullRequest) {
      findPullRequests(text);
    }
    var lines = text.lines().limit(RESULT_LINES + 1).toList();
    for (var line : lines.subList(0, Math.min(lines.size(), RESULT_LINES))) {
      keep(TranscriptLine.Kind.RESULT, Truncation.cut(line, RESULT_LINE_LENGTH));
    }
    if (lines.size() > RESULT_LINES) {
      keep(TranscriptLine.Kind.RESULT, "…");
    } else if (lines.isEmpty() && failed) {
      keep(TranscriptLine.Kind.RESULT, "failed");
    }
  }

  private void findPullRequests(String text) {
    for (var url : PullRequests.in(text)) {
      made.add(NewArtifact.pullRequest(url, ""));
      if (pullRequests.size() < MAX_PULL_REQUESTS) {
        pullRequests.add(url);
      }
    }
  }

  private void noteUsage() {
    if (!usageInAll.isNothing()) {
      keep(
          TranscriptLine.Kind.NOTE,
          "The model read %,d tokens and wrote %,d%s%s."
              .formatted(
                  usageInAll.input(),
                  usageInAll.output(),
                  usageInAll.dollars().map(amount -> ", for $" + amount.toPlainString()).orElse(""),
                  usageInAll.ofSession() ? " since the session began" : ""));
    }
  }

  private void say(String line) {
    paragraph.add(line);
    findPullRequests(line);
    keep(TranscriptLine.Kind.SAID, line);
  }

  private void takeError(String line) {
    if (!line.isBlank()) {
      errors.addLast(Truncation.cut(line, ERROR_LENGTH));
      if (errors.size() > ERROR_LINES) {
        errors.removeFirst();
      }
    }
    keep(TranscriptLine.Kind.ERROR, line);
  }

  private void keep(TranscriptLine.Kind kind, String text) {
    if (full) {
      return;
    }
    kept += text.length() + 1;
    if (kept > MAX_KEPT) {
      full = true;
      entries.add(
          new Entry(
              TranscriptLine.Kind.NOTE,
              "The output is longer than 10 MiB; the rest of it is not kept."));
    } else {
      entries.add(new Entry(kind, Truncation.cut(text, LINE_LENGTH)));
    }
  }

  private void save() {
    saveTaken();
    if (entries.isEmpty()
        && status == null
        && session == null
        && made.isEmpty()
        && usage.isNothing()) {
      return;
    }
    try {
      records.recordOutput(
          executionRequest,
          new ExecutionRecords.NewOutput(
              List.copyOf(entries),
              Optional.ofNullable(status),
              List.copyOf(made),
              Optional.ofNullable(session),
              usage));
      made.clear();
      status = null;
      session = null;
    } catch (DatabaseException e) {
      // What has no effect when it is stored twice is stored with the next lines.
      log.error(
          "cannot store transcript lines, dropping them run={} lines={}",
          executionRequest.runId(),
          entries.size(),
          e);
    }
    entries.clear();
    usage = Usage.NONE;
  }
}
