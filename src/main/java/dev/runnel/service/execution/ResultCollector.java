package dev.runnel.service.execution;

import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.output.ExecutionEvidence;
import dev.runnel.service.output.OutputCollector;
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

/// Records the results of an execution: pull requests, files, evidence and plans. Used after the
/// agent's processes have ended.
record ResultCollector(
    ExecutionRequest request,
    ExecutionRecords records,
    RunQueries queries,
    Workspaces workspaces,
    Redactor redactor) {
  /// Maximum length of a transcript line, below the limit of the console's pages.
  private static final int MAX_ENTRY = 4_000;

  /// Records which of the mentioned pull requests this run opened.
  ///
  /// @param git runs git in the workspace
  void collectPullRequests(List<String> mentioned, AgentSurroundings site, CommandRunner git)
      throws InterruptedException {
    var opened = new ArrayList<NewArtifact>();
    for (var url : mentioned) {
      workspaces
          .pushedBranch(
              request.runId(), site.environment(), url, site.network().observedRepositories(), git)
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

  /// Records what can be observed of the execution, to be shown next to the agent's own statement.
  void collectEvidence(Harness harness, Path root, Instant began, OutputCollector.Summary summary) {
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
  /// @return blocked, to wait for approval of the plan; the given result if there is no plan
  ExecutionResult collectPlan(ExecutionResult result) {
    if (result.state() != ExecutionState.SUCCEEDED) {
      return result;
    }
    record(List.of(), List.of(NewArtifact.plan(request, result.message())));
    return ExecutionResult.blocked(result.message() + "\n\n" + PlanReply.QUESTION);
  }

  /// Records that the run asks a person about a call.
  ExecutionResult askForPermission(ToolCall call) {
    var number = records.requestPermission(request, call);
    var text = "Asks to use %s: %s".formatted(call.name(), call.display(redactor::redact));
    record(
        split(text).stream().map(part -> new Entry(TranscriptLine.Kind.QUESTION, part)).toList(),
        List.of());
    return ExecutionResult.blocked(
        "%s\n\n%s\n\n%s"
            .formatted(
                ToolReply.request(call.name(), number),
                codeBlock(call.summary(redactor::redact)),
                ToolReply.question(redactor.redact(call.scopeDescription()))));
  }

  /// Splits a text into parts that fit into a transcript line.
  private static List<String> split(String text) {
    var parts = new ArrayList<String>();
    var rest = text;
    while (!rest.isEmpty()) {
      var part = Truncation.head(rest, MAX_ENTRY);
      parts.add(part);
      rest = rest.substring(part.length());
    }
    return parts;
  }

  /// A code block with a fence that does not occur in the text.
  private static String codeBlock(String text) {
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
