package dev.runnel.service.output;

import dev.runnel.memory.Price;
import dev.runnel.service.agent.AgentEvent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.run.AgentSession;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.run.limit.CostLimit;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.text.Redactor;
import dev.runnel.text.TerminalText;
import dev.runnel.text.Truncation;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Collects what the output of an execution says, as text without secrets: what is to be stored
/// next, and what is needed to determine the result. Memory use is bounded: what is to be stored is
/// taken before it exceeds 64 KiB and one entry, and what is kept has a maximum length. Output
/// beyond the maximum transcript size is dropped. Not thread-safe.
public final class OutputCollector {
  private static final Logger log = LoggerFactory.getLogger(OutputCollector.class);
  private static final int MAX_CHARS = 10 * 1024 * 1024;
  private static final int MAX_ERROR_LINES = 10;
  private static final int MAX_ERROR_LENGTH = 500;
  private static final int MAX_STATUS_LENGTH = 2000;
  private static final int MAX_PULL_REQUESTS = 50;
  private static final int MAX_LINE_LENGTH = 64 * 1024;
  private static final int MAX_RESULT_LINES = 40;
  private static final Duration SHOWN_WAIT = Duration.ofSeconds(1);
  private static final int MAX_RESULT_LINE_LENGTH = 500;

  /// Before what a subagent says and does, in the transcript.
  private static final String SUBAGENT = "Subagent: ";

  /// Longer than any platform shows of an answer.
  private static final int MAX_ANSWER_LENGTH = 64 * 1024;

  private static final int MAX_QUESTION_LENGTH = 16 * 1024;

  /// Evidence shows only the last ones.
  private static final int MAX_TESTS = 10;

  /// From so many bytes on, what was collected is stored before more is added.
  private static final int MAX_UNSAVED = 64 * 1024;

  /// What an entry or an artifact takes in addition to its text.
  private static final int ENTRY_BYTES = 64;

  private static final int ARTIFACT_BYTES = 1024;
  private static final int MAX_UNSAVED_ARTIFACTS = 200;

  /// Commands that open a pull request. In the output of other commands, pull requests belong to
  /// other people.
  private static final Pattern OPENS_PULL_REQUEST = Pattern.compile("\\b[pm]r (create|new)\\b");

  /// Summary of the complete output.
  ///
  /// @param answer empty if the agent wrote no text
  /// @param finishedAnswer the answer when the agent last reported that it finished, also if it
  ///   continued
  /// @param lateError an error that it reported after it finished, without any work since
  /// @param errors the last lines of standard error
  /// @param finished whether the agent reported that it finished
  /// @param hasSession whether the agent reported its session
  /// @param pullRequests the URLs of mentioned pull requests
  /// @param tests the commands that ran tests, as far as the agent reports its commands
  public record Summary(
      String answer,
      Optional<String> finishedAnswer,
      Optional<String> question,
      Optional<String> failure,
      Optional<String> lateError,
      String errors,
      boolean finished,
      boolean hasSession,
      List<String> pullRequests,
      List<ExecutionEvidence.TestRun> tests) {
    /// Of an output that could not be read to its end.
    static final Summary NONE =
        new Summary(
            "",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            "",
            false,
            false,
            List.of(),
            List.of());

    private static final int ERROR = 1;
    private static final int CANNOT_EXECUTE = 126;
    private static final int NOT_FOUND = 127;
    private static final String AFTER_ANSWER =
        "\n\nAfter this answer, the agent program reported an error: ";

    /// Determines the result. Neither the exit status nor the agent's report is sufficient alone:
    /// some agents exit with 0 when they fail or are killed, others fail after they reported
    /// success. A failure keeps the answer that came before it.
    public ExecutionResult toResult(Harness harness, int status) {
      // Agents exit with an error after a late one.
      var isSuccess = status == 0 || (status == ERROR && lateError.isPresent());
      if (isSuccess && failure.isEmpty()) {
        if (harness.reportsCompletion() && !finished) {
          return ExecutionResult.failed(
              "The agent ended before it was finished." + (errors.isEmpty() ? "" : "\n" + errors));
        }
        return question
            .map(ExecutionResult::blocked)
            .orElseGet(
                () ->
                    ExecutionResult.succeeded(
                        (answer.isEmpty() ? "The agent finished without an answer." : answer)
                            + lateError.map(AFTER_ANSWER::concat).orElse("")));
      }
      if (status == CANNOT_EXECUTE || status == NOT_FOUND) {
        return ExecutionResult.setupFailed(
            errors.isEmpty() ? "The agent's command cannot be run." : errors);
      }
      var why =
          failure
              .or(() -> lateError)
              .or(() -> Optional.of(errors).filter(text -> !text.isEmpty()))
              .orElse("The agent ended with exit status " + status + " and gave no reason.");
      var before = finishedAnswer.map("\n\nBefore, the agent answered:\n"::concat).orElse("");
      return ProviderOverload.words(why)
          .map(words -> ExecutionResult.providerOverloaded(words + before))
          .orElseGet(() -> ExecutionResult.failed(why + before));
    }
  }

  private final ExecutionRequest executionRequest;
  private final Harness harness;
  private final Harness.OutputParser outputParser;
  private final Path root;
  private final Path folder;
  private final CostLimit costLimit;
  private final long start = System.nanoTime();
  private final Redactor redactor;
  private final Redactor.Lines output;
  private final Redactor.Lines errorOutput;
  private final LastParagraph paragraph = new LastParagraph();
  private final Deque<String> errors = new ArrayDeque<>();
  private final List<Entry> entries = new ArrayList<>();
  private final Set<NewArtifact> artifacts = new LinkedHashSet<>();
  private final Set<String> pullRequests = new LinkedHashSet<>();
  private final Deque<ExecutionEvidence.TestRun> tests = new ArrayDeque<>();
  private Usage usage = Usage.NONE;
  private Usage totalUsage = Usage.NONE;
  private boolean opensPullRequest;
  private boolean hasSession;
  private @Nullable String status;
  private @Nullable String session;
  private @Nullable String answer;
  private @Nullable String question;
  private int choices;
  private @Nullable String finishedAnswer;
  private @Nullable String failure;
  private @Nullable String lateError;
  private long chars;
  private long unsavedBytes;
  private Runnable save = () -> {};
  private int cutLines;
  private int unreadableLines;
  private int droppedLines;
  private boolean isFull;
  private boolean finished;

  /// @param outputParser the parser of this execution, of the harness
  /// @param root the run's workspace
  /// @param folder the agent's working directory
  /// @param costLimit decides how much of a reported cost counts
  /// @param redactor removes secrets
  public OutputCollector(
      ExecutionRequest executionRequest,
      Harness harness,
      Harness.OutputParser outputParser,
      Path root,
      Path folder,
      CostLimit costLimit,
      Redactor redactor) {
    this.executionRequest = executionRequest;
    this.harness = harness;
    this.outputParser = outputParser;
    this.root = root;
    this.folder = folder;
    this.costLimit = costLimit;
    this.redactor = redactor;
    this.output = redactor.lines();
    this.errorOutput = redactor.lines();
  }

  /// @param save stores what was collected and calls [#clear]; called while events are added
  void saveWith(Runnable save) {
    this.save = save;
  }

  /// The events of a line of standard output.
  List<AgentEvent> parse(String line) {
    return output.next(TerminalText.plain(line)).map(this::parsed).orElse(List.of());
  }

  /// Parses a line. A line that cannot be parsed is kept as text; a failure here would leave the
  /// agent blocked on its output.
  private List<AgentEvent> parsed(String line) {
    try {
      // JSON escapes can hide a secret or an escape sequence in the raw line.
      return outputParser.parse(line).stream()
          .map(agentEvent -> agentEvent.redacted(text -> redactor.redact(TerminalText.plain(text))))
          .toList();
    } catch (RuntimeException e) {
      log.warn(
          "cannot parse agent output run={} error={}",
          executionRequest.runId(),
          e.getClass().getName());
      return List.of(new AgentEvent.Message(line));
    }
  }

  /// Adds what the event says. [AgentEvent.MessageRead] and [AgentEvent.InputLine] say nothing
  /// about the output.
  void add(AgentEvent agentEvent) {
    switch (agentEvent) {
      case AgentEvent.Message(String text) -> {
        text.lines().forEach(this::addText);
        if (text.isEmpty()) {
          addText("");
        }
      }
      case AgentEvent.ToolUse toolUse -> {
        status = toolUse.activity();
        addToolUse(toolUse, "");
      }
      case AgentEvent.CommandEnded(String command, var exit) ->
          ExecutionEvidence.testRun(command, exit).ifPresent(this::addTest);
      case AgentEvent.ToolResult(String text, boolean failed) -> handleResult(text, failed);
      case AgentEvent.Status(String text) -> {
        status = Truncation.cut(text, MAX_STATUS_LENGTH);
        findPullRequests(text);
        addEntry(TranscriptLine.Kind.STATUS, text);
      }
      case AgentEvent.Question(String text) -> {
        choices = 0;
        question = Truncation.cut(text, MAX_QUESTION_LENGTH);
        findPullRequests(text);
        addEntry(TranscriptLine.Kind.QUESTION, text);
      }
      case AgentEvent.Choice(String text) -> {
        choices++;
        var numbered = choices + ". " + text;
        question =
            Truncation.cut(
                question == null ? numbered : question + "\n" + numbered, MAX_QUESTION_LENGTH);
        findPullRequests(text);
        addEntry(TranscriptLine.Kind.QUESTION, numbered);
      }
      case AgentEvent.Answer(String text) -> {
        answer = Truncation.cut(text, MAX_ANSWER_LENGTH);
        findPullRequests(text);
      }
      case AgentEvent.Session(String id) -> {
        if (AgentSession.isValid(id)) {
          session = AgentSession.encode(harness.name(), id);
          hasSession = true;
        }
      }
      case AgentEvent.Plan(String text) -> {
        if (!text.isBlank()) {
          artifacts.removeIf(each -> each.type().equals("PLAN"));
          artifacts.add(NewArtifact.plan(executionRequest, text));
        }
      }
      case AgentEvent.FileWritten(String path) ->
          NewArtifact.file(executionRequest, root, folder, path).ifPresent(this::addArtifact);
      case AgentEvent.UsageReport(Usage more) -> {
        var counted = counted(more);
        usage = usage.plus(counted);
        totalUsage = totalUsage.plus(counted);
      }
      case AgentEvent.OfSubagent(AgentEvent event) -> addOfSubagent(event);
      case AgentEvent.MessageRead _, AgentEvent.InputLine _ -> {}
      case AgentEvent.Finished() -> {
        finished = true;
        finishedAnswer = answer();
      }
      case AgentEvent.LateError(String why) -> {
        lateError = Truncation.cut(why, MAX_QUESTION_LENGTH);
        addEntry(TranscriptLine.Kind.ERROR, lateError);
      }
      case AgentEvent.Failure(String why) -> {
        failure = Truncation.cut(why, MAX_QUESTION_LENGTH);
        if (ProviderOverload.words(failure).isPresent()) {
          // The result tells it in other words.
          addEntry(TranscriptLine.Kind.ERROR, failure);
        }
      }
    }
  }

  private void addOfSubagent(AgentEvent event) {
    switch (event) {
      case AgentEvent.Message(String text) ->
          text.lines().forEach(line -> addEntry(TranscriptLine.Kind.SAID, SUBAGENT + line));
      case AgentEvent.ToolUse toolUse -> addToolUse(toolUse, SUBAGENT);
      case AgentEvent.CommandEnded _,
          AgentEvent.ToolResult _,
          AgentEvent.FileWritten _,
          AgentEvent.UsageReport _ ->
          add(event);
      default -> {}
    }
  }

  private void addToolUse(AgentEvent.ToolUse toolUse, String prefix) {
    opensPullRequest = OPENS_PULL_REQUEST.matcher(toolUse.input()).find();
    addEntry(TranscriptLine.Kind.DID, prefix + toolUse.transcriptLine());
  }

  /// The report with as much of its cost as counts: see [CostLimit#counted].
  private Usage counted(Usage more) {
    if (more.dollars().isEmpty()) {
      return more;
    }
    var before = more.ofSession() ? BigDecimal.ZERO : totalUsage.dollars().orElse(BigDecimal.ZERO);
    var all = before.add(more.dollars().get());
    var worked = Duration.ofNanos(System.nanoTime() - start);
    var counts = all.min(costLimit.counted(all, worked)).subtract(before).max(BigDecimal.ZERO);
    return new Usage(
        more.input(),
        more.output(),
        Optional.of(counts).filter(it -> it.signum() > 0),
        more.ofSession());
  }

  private void addTest(ExecutionEvidence.TestRun test) {
    tests.addLast(test);
    if (tests.size() > MAX_TESTS) {
      tests.removeFirst();
    }
  }

  /// Drops it if the database has not accepted many of them for a while.
  private void addArtifact(NewArtifact artifact) {
    if (artifacts.size() < MAX_UNSAVED_ARTIFACTS && artifacts.add(artifact)) {
      count(ARTIFACT_BYTES);
    }
  }

  private void count(long bytes) {
    unsavedBytes += bytes;
    if (unsavedBytes > MAX_UNSAVED) {
      save.run();
    }
  }

  /// Counts a line that was longer than a line may be.
  void addCut() {
    cutLines++;
  }

  /// Counts a line that could not be handled.
  void addUnreadable() {
    unreadableLines++;
  }

  /// Counts a line that was not handled because the run was stopped.
  void addDropped() {
    droppedLines++;
  }

  /// Adds a line of standard error.
  void addErrorLine(String line) {
    errorOutput.next(TerminalText.plain(line)).ifPresent(this::addError);
  }

  /// Notes that the agent continues with a message that it has read.
  void resume() {
    finished = false;
    failure = null;
    lateError = null;
  }

  private void handleResult(String text, boolean failed) {
    if (opensPullRequest) {
      findPullRequests(text);
    }
    var lines = text.lines().limit(MAX_RESULT_LINES + 1).toList();
    for (var line : lines.subList(0, Math.min(lines.size(), MAX_RESULT_LINES))) {
      addResult(Truncation.cut(line, MAX_RESULT_LINE_LENGTH), failed);
    }
    if (lines.size() > MAX_RESULT_LINES) {
      addResult("…", failed);
    } else if (lines.isEmpty() && failed) {
      addResult("failed", true);
    }
  }

  private void findPullRequests(String text) {
    for (var url : PullRequests.in(text)) {
      if (pullRequests.contains(url) || pullRequests.size() < MAX_PULL_REQUESTS) {
        pullRequests.add(url);
        addArtifact(NewArtifact.pullRequest(url, ""));
      }
    }
  }

  /// Adds the end of the output.
  ///
  /// @param waited how long the agent's output had to wait for memory
  void end(Duration waited) {
    noteLines(
        cutLines,
        "longer than 1 MiB, and cut where it ends with …",
        "longer than 1 MiB, and cut where they end with …");
    noteLines(
        unreadableLines,
        "left out, because it could not be read",
        "left out, because they could not be read");
    noteLines(
        droppedLines,
        "not recorded, because the run was stopped",
        "not recorded, because the run was stopped");
    if (waited.compareTo(SHOWN_WAIT) >= 0) {
      addNote(
          "The agent wrote faster than its output could be stored, and had to wait for %s in all."
              .formatted(Limits.format(waited.truncatedTo(ChronoUnit.SECONDS))));
    }
    if (!totalUsage.isEmpty()) {
      addEntry(
          TranscriptLine.Kind.NOTE,
          "The model read %,d tokens and wrote %,d%s%s, as the agent program reports."
              .formatted(
                  totalUsage.input(),
                  totalUsage.output(),
                  totalUsage.dollars().map(amount -> ", for $" + amount.toPlainString()).orElse(""),
                  totalUsage.ofSession() ? " since the session began" : ""));
    }
  }

  private void noteLines(int lines, String one, String several) {
    if (lines > 0) {
      addNote(
          lines == 1
              ? "A line of the output was %s.".formatted(one)
              : "%,d lines of the output were %s.".formatted(lines, several));
    }
  }

  /// Kept also if the transcript is full.
  private void addNote(String text) {
    entries.add(new Entry(TranscriptLine.Kind.NOTE, text));
  }

  private void addText(String line) {
    paragraph.add(line);
    findPullRequests(line);
    addEntry(TranscriptLine.Kind.SAID, line);
  }

  private void addError(String line) {
    if (!line.isBlank()) {
      errors.addLast(Truncation.cut(line, MAX_ERROR_LENGTH));
      if (errors.size() > MAX_ERROR_LINES) {
        errors.removeFirst();
      }
    }
    addEntry(TranscriptLine.Kind.ERROR, line);
  }

  private void addResult(String text, boolean failed) {
    addEntry(new Entry(TranscriptLine.Kind.RESULT, text, Optional.of(failed)));
  }

  private void addEntry(TranscriptLine.Kind kind, String text) {
    addEntry(new Entry(kind, Truncation.cut(text, MAX_LINE_LENGTH)));
  }

  private void addEntry(Entry entry) {
    if (isFull) {
      return;
    }
    chars += entry.text().length() + 1;
    if (chars > MAX_CHARS) {
      isFull = true;
      addNote("The output is longer than 10 MiB; the rest of it is not kept.");
    } else {
      entries.add(entry);
      count(Price.text(entry.text().length()) + ENTRY_BYTES);
    }
  }

  /// The usage that the agent has reported so far.
  Usage totalUsage() {
    return totalUsage;
  }

  /// Whether the agent has finished and received no message since.
  boolean isFinished() {
    return finished;
  }

  /// Whether the agent has finished or failed, and received no message since.
  boolean hasEnded() {
    return finished || failure != null;
  }

  /// Whether something is to be stored.
  boolean hasNew() {
    return !(entries.isEmpty()
        && status == null
        && session == null
        && artifacts.isEmpty()
        && usage.isEmpty());
  }

  /// What is to be stored.
  ExecutionRecords.NewOutput newOutput() {
    return new ExecutionRecords.NewOutput(
        List.copyOf(entries),
        Optional.ofNullable(status),
        List.copyOf(artifacts),
        Optional.ofNullable(session),
        usage);
  }

  /// Removes what was stored.
  void clear() {
    artifacts.clear();
    status = null;
    session = null;
    clearUnrepeatable();
  }

  /// Removes what may not be stored twice.
  void clearUnrepeatable() {
    entries.clear();
    unsavedBytes = 0;
    usage = Usage.NONE;
  }

  /// Removes the lines that are to be stored.
  ///
  /// @return their number
  int dropLines() {
    var lines = entries.size();
    entries.clear();
    unsavedBytes = 0;
    return lines;
  }

  private String answer() {
    return answer == null ? paragraph.text() : answer.strip();
  }

  Summary summary() {
    return new Summary(
        answer(),
        Optional.ofNullable(finishedAnswer).filter(text -> !text.isEmpty()),
        Optional.ofNullable(question),
        Optional.ofNullable(failure).filter(why -> !why.isBlank()),
        Optional.ofNullable(lateError),
        String.join("\n", errors),
        finished,
        hasSession,
        List.copyOf(pullRequests),
        List.copyOf(tests));
  }
}
