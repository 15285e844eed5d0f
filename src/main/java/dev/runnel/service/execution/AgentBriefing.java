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

/// Composes the input of an execution's agent: the request, the attachments, and the earlier
/// conversation if the agent's session does not contain it.
///
/// @param moved whether the last execution ran on a node with another workspace
/// @param restoration the result of restoring its snapshot; empty without snapshots
record AgentBriefing(
    ExecutionRequest executionRequest,
    Harness harness,
    AgentSurroundings site,
    boolean moved,
    Optional<Snapshots.Outcome> restoration,
    RunQueries queries) {

  /// Notes for people about the workspace and the session.
  List<String> notes() {
    var notes = new ArrayList<String>();
    if (site.ready().isNew() && executionRequest.execution() > 1) {
      notes.add(moved ? PromptAssembly.moved(restoration) : PromptAssembly.NEW_WORKSPACE);
    }
    var snapshot = restoredSnapshot();
    if (snapshot.isPresent()) {
      notes.add(
          PromptAssembly.restored(
              snapshot.get().execution(),
              executionRequest.execution() - 1,
              hasSession() ? Optional.of(!isSessionGone()) : Optional.empty()));
    } else if (isSessionGone()) {
      notes.add(PromptAssembly.NEW_SESSION);
    }
    return notes;
  }

  /// The request that is passed to the agent.
  ///
  /// @param launchFiles receives the files that the prompt refers to
  ExecutionRequest compose(LaunchFiles launchFiles) throws IOException {
    var request =
        PromptAssembly.of(
            executionRequest, site.ready(), () -> queries.firstPrompt(executionRequest.runId()));
    if (!(harness instanceof CommandAgent) && isRequestedByPerson()) {
      request = PromptAssembly.withHandoverInstructions(request);
    }
    return withConversation(attach(request, launchFiles), launchFiles).forAgent(harness.name());
  }

  private ExecutionRequest withConversation(ExecutionRequest request, LaunchFiles launchFiles)
      throws IOException {
    if (isSessionGone()) {
      return ConversationHistory.addAfterLostSession(request, launchFiles, queries);
    }
    if (moved && restoredSnapshot().isEmpty()) {
      return ConversationHistory.addAfterMove(request, harness, launchFiles, queries);
    }
    return executionRequest.execution() == 1 || site.ready().isNew()
        ? ConversationHistory.addToNewSession(request, harness, launchFiles, queries)
        : request;
  }

  /// The snapshot that the workspace was restored from; empty if it was not.
  private Optional<Snapshots.Outcome.Restored> restoredSnapshot() {
    return restoration
        .filter(_ -> !site.ready().isNew())
        .flatMap(
            it ->
                it instanceof Snapshots.Outcome.Restored snapshot
                    ? Optional.of(snapshot)
                    : Optional.empty());
  }

  private boolean isSessionGone() {
    return hasSession()
        && !site.ready().isNew()
        && restoredSnapshot()
            .map(it -> !isSessionCurrent(it))
            .orElseGet(() -> !site.mayHaveSession());
  }

  private boolean hasSession() {
    return executionRequest.forAgent(harness.name()).agentSession().isPresent();
  }

  /// Whether the session is that of the last execution. An older one does not contain the later
  /// conversation.
  private boolean isSessionCurrent(Snapshots.Outcome.Restored snapshot) {
    return snapshot.hasSession() && snapshot.execution() == executionRequest.execution() - 1;
  }

  /// Whether a person receives the files of the run. Files of a run that was created over the API
  /// are not sent to anyone.
  private boolean isRequestedByPerson() {
    return queries
        .find(executionRequest.runId())
        .map(RunRow::metadataEntries)
        .filter(TriggerMetadata::hasSurface)
        .isPresent();
  }

  /// Writes the attachments to files, and adds their paths to the prompt.
  private ExecutionRequest attach(ExecutionRequest request, LaunchFiles launchFiles)
      throws IOException {
    var text = new StringBuilder(request.prompt());
    var number = 0;
    for (var attachment : queries.attachmentsOf(executionRequest.runId())) {
      byte[] content;
      try (var stored = queries.attachmentContent(attachment.id())) {
        content = stored.readAllBytes();
      }
      var file = launchFiles.attach(++number, attachment.name(), content);
      text.append(number == 1 ? "\n\n" : "\n");
      text.append("Attached: ").append(file).append(" (").append(attachment.mimeType()).append(')');
    }
    return number == 0 ? request : request.withPrompt(text.append('\n').toString());
  }
}
