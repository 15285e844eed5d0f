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

/// The questions and answers of a conversation's earlier runs, without the output of tools. Of a
/// long conversation it keeps the end.
final class ConversationHistory {
  private static final int MAX = 32 * 1024;

  private final StringBuilder text = new StringBuilder();
  private TranscriptLine.Kind before = TranscriptLine.Kind.NOTE;

  private ConversationHistory() {}

  /// Passes the earlier conversation to an agent that has no session yet: to a known agent in its
  /// prompt, to a command in a file.
  static ExecutionRequest recall(
      ExecutionRequest request, Harness harness, LaunchFiles launchFiles, RunQueries index)
      throws IOException {
    var talk = index.find(request.runId()).map(run -> before(run, index)).orElse("");
    if (talk.isBlank()) {
      return request;
    }
    launchFiles.recall(talk);
    return harness instanceof CommandAgent
        ? request
        : request.withPrompt(PromptAssembly.continuing(talk, request.prompt()));
  }

  /// Passes the earlier conversation, including that of the run itself, to a known agent whose
  /// session is gone.
  static ExecutionRequest recallAll(
      ExecutionRequest request, LaunchFiles launchFiles, RunQueries index) throws IOException {
    var talk = index.find(request.runId()).map(run -> upTo(run, true, index)).orElse("");
    launchFiles.recall(talk);
    return request.with(
        it ->
            it.agentSession(Optional.empty())
                .prompt(PromptAssembly.resuming(talk, request.prompt())));
  }

  /// Passes the earlier conversation, including that of the run itself, to an agent whose workspace
  /// and session are on a node that is gone.
  static ExecutionRequest recallMoved(
      ExecutionRequest request, Harness harness, LaunchFiles launchFiles, RunQueries index)
      throws IOException {
    var talk = index.find(request.runId()).map(run -> upTo(run, true, index)).orElse("");
    launchFiles.recall(talk);
    return harness instanceof CommandAgent
        ? request
        : request.with(
            it ->
                it.agentSession(Optional.empty())
                    .prompt(PromptAssembly.continuing(talk, request.prompt())));
  }

  private static String before(RunRow run, RunQueries index) {
    return upTo(run, false, index);
  }

  private static String upTo(RunRow run, boolean inclusive, RunQueries index) {
    var talk = new ConversationHistory();
    for (var runId : index.runsOf(run.conversationId().orElse(run.id()))) {
      if (!runId.equals(run.id())) {
        talk.parse(runId, index);
        continue;
      }
      if (inclusive) {
        talk.parse(runId, index);
      }
      break;
    }
    talk.cut();
    return talk.text.toString();
  }

  private void parse(String runId, RunQueries index) {
    var part = index.transcript(runId, 0);
    while (part.isPresent() && !part.get().lines().isEmpty()) {
      part.get().lines().forEach(this::add);
      cut();
      part = index.transcript(runId, part.get().lines().getLast().number());
    }
  }

  private void add(TranscriptLine line) {
    switch (line.kind()) {
      case ASKED -> say("Asked:", line);
      case SAID, QUESTION -> say("Answered:", line);
      case DID, RESULT, STATUS, ERROR, NOTE -> {}
    }
  }

  private void say(String who, TranscriptLine line) {
    var isAsked = line.kind() == TranscriptLine.Kind.ASKED;
    if (isAsked || before == TranscriptLine.Kind.ASKED) {
      text.append(text.isEmpty() ? "" : "\n").append(who).append('\n');
    }
    text.append(line.text()).append('\n');
    before = line.kind();
  }

  private void cut() {
    if (text.length() > MAX) {
      var from = text.length() - MAX;
      text.delete(0, Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from);
    }
  }
}
