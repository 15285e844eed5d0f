package dev.runnel.service.execution;

import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.TriggerMetadata;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.workspace.Snapshots;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the agent of an execution is told: the request, what people attached, and the earlier
/// conversation where its session does not have it.
///
/// @param moved whether another node has the workspace
/// @param kept what became of its snapshot; empty if there are no snapshots
record AgentBriefing(
    ExecutionRequest executionRequest,
    Harness harness,
    AgentSite site,
    boolean moved,
    Optional<Snapshots.Outcome> kept,
    RunQueries index) {

  /// What people should know about the workspace and the session.
  List<String> notes() {
    var notes = new ArrayList<String>();
    if (site.ready().fresh() && executionRequest.execution() > 1) {
      notes.add(moved ? PromptAssembly.moved(kept) : PromptAssembly.AFRESH);
    }
    var restored = restored();
    if (restored.isPresent()) {
      notes.add(
          PromptAssembly.restored(
              restored.get().execution(),
              executionRequest.execution() - 1,
              hasSession() ? Optional.of(!isSessionGone()) : Optional.empty()));
    } else if (isSessionGone()) {
      notes.add(PromptAssembly.NEW_SESSION);
    }
    return notes;
  }

  /// The request as the agent gets it.
  ///
  /// @param launchFiles gets the files that the prompt names
  ExecutionRequest compose(LaunchFiles launchFiles) throws IOException {
    var briefed =
        PromptAssembly.of(
            executionRequest, site.ready(), () -> index.firstPrompt(executionRequest.runId()));
    if (!(harness instanceof CommandAgent) && isForPeople()) {
      briefed = PromptAssembly.withHandoverInstructions(briefed);
    }
    return withConversation(attach(briefed, launchFiles), launchFiles).forAgent(harness.name());
  }

  private ExecutionRequest withConversation(ExecutionRequest request, LaunchFiles launchFiles)
      throws IOException {
    if (isSessionGone()) {
      return ConversationHistory.recallAll(request, launchFiles, index);
    }
    if (moved && restored().isEmpty()) {
      return ConversationHistory.recallMoved(request, harness, launchFiles, index);
    }
    return executionRequest.execution() == 1 || site.ready().fresh()
        ? ConversationHistory.recall(request, harness, launchFiles, index)
        : request;
  }

  /// The snapshot that the workspace comes from, if it does.
  private Optional<Snapshots.Outcome.Restored> restored() {
    return kept.filter(_ -> !site.ready().fresh())
        .flatMap(
            it ->
                it instanceof Snapshots.Outcome.Restored restored
                    ? Optional.of(restored)
                    : Optional.empty());
  }

  private boolean isSessionGone() {
    return hasSession()
        && !site.ready().fresh()
        && restored().map(it -> !resumes(it)).orElseGet(() -> !site.keptSession());
  }

  private boolean hasSession() {
    return executionRequest.forAgent(harness.name()).agentSession().isPresent();
  }

  /// Whether the session is that of the last execution: of an older one, the agent would not know
  /// what was said since.
  private boolean resumes(Snapshots.Outcome.Restored restored) {
    return restored.hasSession() && restored.execution() == executionRequest.execution() - 1;
  }

  /// Whether files of the run reach somebody: those of a run by the API stay with the run.
  private boolean isForPeople() {
    return index
        .find(executionRequest.runId())
        .map(RunRow::metadataEntries)
        .filter(TriggerMetadata::hasSurface)
        .isPresent();
  }

  /// Writes the attachments to files, and adds their paths to the prompt.
  private ExecutionRequest attach(ExecutionRequest briefed, LaunchFiles launchFiles)
      throws IOException {
    var text = new StringBuilder(briefed.prompt());
    var number = 0;
    for (var attachment : index.attachmentsOf(executionRequest.runId())) {
      var content = index.attachmentContent(attachment.id()).orElseThrow();
      var file = launchFiles.attach(++number, attachment.name(), content);
      text.append(number == 1 ? "\n\n" : "\n");
      text.append("Attached: ").append(file).append(" (").append(attachment.mimeType()).append(')');
    }
    return number == 0 ? briefed : briefed.withPrompt(text.append('\n').toString());
  }
}
