package dev.runnel.service.execution;

import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.store.RunQueries;
import java.io.IOException;
import java.util.Optional;

/// The prompts and answers of a conversation's earlier runs as text, without the output of tools. A
/// long conversation is cut to its end.
final class ConversationHistory {
  private static final int MAX_CHARS = 32 * 1024;

  private final StringBuilder text = new StringBuilder();
  private TranscriptLine.Kind lastKind = TranscriptLine.Kind.NOTE;

  private ConversationHistory() {}

  /// Adds the earlier conversation for an agent without a session: for a known agent to the prompt,
  /// for a command to a file.
  static ExecutionRequest addToNewSession(
      ExecutionRequest request, Harness harness, LaunchFiles launchFiles, RunQueries queries)
      throws IOException {
    var conversation =
        queries.find(request.runId()).map(run -> upTo(run, false, queries)).orElse("");
    if (conversation.isBlank()) {
      return request;
    }
    launchFiles.writeConversation(conversation);
    return harness instanceof CommandAgent
        ? request
        : request.withPrompt(PromptAssembly.continuing(conversation, request.prompt()));
  }

  /// Adds the earlier conversation, including that of the run itself, to the prompt of a known
  /// agent whose session is lost.
  static ExecutionRequest addAfterLostSession(
      ExecutionRequest request, LaunchFiles launchFiles, RunQueries queries) throws IOException {
    var conversation =
        queries.find(request.runId()).map(run -> upTo(run, true, queries)).orElse("");
    launchFiles.writeConversation(conversation);
    return request.with(
        it ->
            it.agentSession(Optional.empty())
                .prompt(PromptAssembly.resuming(conversation, request.prompt())));
  }

  /// Adds the earlier conversation, including that of the run itself, for an agent whose workspace
  /// and session are on a lost node.
  static ExecutionRequest addAfterMove(
      ExecutionRequest request, Harness harness, LaunchFiles launchFiles, RunQueries queries)
      throws IOException {
    var conversation =
        queries.find(request.runId()).map(run -> upTo(run, true, queries)).orElse("");
    launchFiles.writeConversation(conversation);
    return harness instanceof CommandAgent
        ? request
        : request.with(
            it ->
                it.agentSession(Optional.empty())
                    .prompt(PromptAssembly.continuing(conversation, request.prompt())));
  }

  private static String upTo(RunRow run, boolean inclusive, RunQueries queries) {
    var history = new ConversationHistory();
    for (var runId : queries.runsOf(run.conversationId().orElse(run.id()))) {
      if (!runId.equals(run.id())) {
        history.read(runId, queries);
        continue;
      }
      if (inclusive) {
        history.read(runId, queries);
      }
      break;
    }
    history.truncate();
    return history.text.toString();
  }

  private void read(String runId, RunQueries queries) {
    var part = queries.transcript(runId, 0);
    while (part.isPresent() && !part.get().lines().isEmpty()) {
      part.get().lines().forEach(this::add);
      truncate();
      part = queries.transcript(runId, part.get().lines().getLast().number());
    }
  }

  private void add(TranscriptLine line) {
    switch (line.kind()) {
      case ASKED -> append("Asked:", line);
      case SAID, QUESTION -> append("Answered:", line);
      case DID, RESULT, STATUS, ERROR, NOTE -> {}
    }
  }

  private void append(String heading, TranscriptLine line) {
    var isAsked = line.kind() == TranscriptLine.Kind.ASKED;
    if (isAsked || lastKind == TranscriptLine.Kind.ASKED) {
      text.append(text.isEmpty() ? "" : "\n").append(heading).append('\n');
    }
    text.append(line.text()).append('\n');
    lastKind = line.kind();
  }

  private void truncate() {
    if (text.length() > MAX_CHARS) {
      var from = text.length() - MAX_CHARS;
      text.delete(0, Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from);
    }
  }
}
