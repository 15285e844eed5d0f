package dev.runnel.service.execution;

import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.output.ExecutionEvidence;
import dev.runnel.service.output.OutputRecorder;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ToolCall;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.Usage;
import dev.runnel.service.store.ExecutionRecords;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.TranscriptRows.Entry;
import dev.runnel.service.workspace.CommandRunner;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.text.PlanReply;
import dev.runnel.text.Redactor;
import dev.runnel.text.ToolReply;
import dev.runnel.text.Truncation;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Records what an execution leaves behind: pull requests, files, evidence and plans. The agent's
/// processes have ended.
final class ResultCollector {
  /// Maximum length of a line of the transcript, below what pages show of one.
  private static final int MAX_ENTRY = 4_000;

  private final ExecutionRequest request;
  private final ExecutionRecords records;
  private final RunQueries queries;
  private final Workspaces workspaces;
  private final Redactor redactor;

  ResultCollector(
      ExecutionRequest request,
      ExecutionRecords records,
      RunQueries queries,
      Workspaces workspaces,
      Redactor redactor) {
    this.request = request;
    this.records = records;
    this.queries = queries;
    this.workspaces = workspaces;
    this.redactor = redactor;
  }

  /// Records which of the mentioned pull requests this run opened.
  ///
  /// @param git runs git in the workspace
  void collectPullRequests(List<String> mentioned, AgentSite site, CommandRunner git)
      throws InterruptedException {
    var opened = new ArrayList<NewArtifact>();
    for (var url : mentioned) {
      workspaces
          .pushedBranch(request.runId(), site.chosen(), url, site.network().witnessed(), git)
          .ifPresent(branch -> opened.add(NewArtifact.pullRequest(url, branch)));
    }
    if (!opened.isEmpty()) {
      record(List.of(), opened);
    }
  }

  /// Records the files that the agent handed over.
  void collectFiles(Path root) {
    var found = HandedFiles.collect(request, root, redactor);
    if (!found.files().isEmpty() || !found.notes().isEmpty()) {
      record(
          found.notes().stream().map(note -> new Entry(TranscriptLine.Kind.NOTE, note)).toList(),
          found.files());
    }
  }

  /// Records what can be seen of the execution, to be shown beside what the agent says of it.
  void collectEvidence(Harness harness, Path root, Instant began, OutputRecorder.Summary summary) {
    var changes = WorkspaceChanges.since(began, root);
    var before = queries.find(request.runId()).flatMap(RunRow::evidence);
    records.evidence(
        request,
        ExecutionEvidence.of(
                changes.files(),
                changes.commits(),
                harness instanceof CommandAgent ? Optional.empty() : Optional.of(summary.tests()),
                summary.answer(),
                before.filter(ExecutionEvidence::hasTests).isPresent())
            .toJson());
  }

  /// Records a finished plan.
  ///
  /// @return that the plan waits for approval; the given result if there is no plan
  ExecutionResult collectPlan(ExecutionResult result) {
    if (result.phase() != ExecutionState.SUCCEEDED) {
      return result;
    }
    record(List.of(), List.of(NewArtifact.plan(request, result.message())));
    return ExecutionResult.blocked(result.message() + "\n\n" + PlanReply.QUESTION);
  }

  /// Records that a person is asked about a call.
  ExecutionResult askAbout(ToolCall call) {
    var number = records.askAbout(request, call);
    var whole = "Asks to use %s: %s".formatted(call.name(), call.shown(redactor::redact));
    record(
        pieces(whole).stream()
            .map(piece -> new Entry(TranscriptLine.Kind.QUESTION, piece))
            .toList(),
        List.of());
    return ExecutionResult.blocked(
        "%s\n\n%s\n\n%s"
            .formatted(
                ToolReply.request(call.name(), number),
                fenced(call.summary(redactor::redact)),
                ToolReply.question(redactor.redact(call.scopeWords()))));
  }

  /// A text in pieces that pages show whole.
  private static List<String> pieces(String text) {
    var pieces = new ArrayList<String>();
    var rest = text;
    while (!rest.isEmpty()) {
      var piece = Truncation.head(rest, MAX_ENTRY);
      pieces.add(piece);
      rest = rest.substring(piece.length());
    }
    return pieces;
  }

  /// A block of code that the text cannot end.
  private static String fenced(String text) {
    var fence = new StringBuilder("```");
    while (text.contains(fence)) {
      fence.append('`');
    }
    return "%1$s\n%2$s\n%1$s".formatted(fence, text);
  }

  private void record(List<Entry> notes, List<NewArtifact> artifacts) {
    records.recordOutput(
        request,
        new ExecutionRecords.NewOutput(
            notes, Optional.empty(), artifacts, Optional.empty(), Usage.NONE));
  }
}
