package dev.runnel.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.wire.ConversationContent;
import dev.runnel.wire.ConversationMessage;
import dev.runnel.wire.ConversationStep;
import dev.runnel.wire.MessageRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A transcript as a conversation: a step for each execution, in it a message for what one side
/// says without being interrupted. Not for several threads.
final class ConversationSteps {
  private static final long MOST = 8L * 1024 * 1024;

  private final String runId;
  private final List<ConversationStep> steps = new ArrayList<>();
  private final List<ConversationMessage> messages = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();
  private TranscriptLine.Kind kind = TranscriptLine.Kind.NOTE;
  private int execution;
  private long size;

  private ConversationSteps(String runId) {
    this.runId = runId;
  }

  /// The steps of a run so far. Of a very long transcript it holds the beginning, and says so.
  static List<ConversationStep> of(String runId, RunIndex index) {
    var steps = new ConversationSteps(runId);
    var part = index.transcript(runId, 0);
    while (part.isPresent() && !part.get().lines().isEmpty()) {
      for (var line : part.get().lines()) {
        if (!steps.add(line)) {
          return steps.all();
        }
      }
      part = index.transcript(runId, part.get().lines().getLast().number());
    }
    return steps.all();
  }

  private boolean add(TranscriptLine line) {
    size += line.text().length();
    if (size > MOST) {
      endMessage();
      kind = TranscriptLine.Kind.NOTE;
      text.append("The rest is in the transcript.");
      return false;
    }
    if (line.execution() != execution) {
      endStep();
      execution = line.execution();
    } else if (line.kind() != kind || !goesOn(kind)) {
      endMessage();
    }
    kind = line.kind();
    text.append(text.isEmpty() ? "" : "\n").append(line.text());
    return true;
  }

  /// Whether lines of a kind belong together.
  private static boolean goesOn(TranscriptLine.Kind kind) {
    return switch (kind) {
      case SAID, RESULT, ERROR -> true;
      case ASKED, DID, STATUS, QUESTION, NOTE -> false;
    };
  }

  private List<ConversationStep> all() {
    endStep();
    return steps;
  }

  private void endStep() {
    endMessage();
    if (!messages.isEmpty()) {
      steps.add(
          new ConversationStep(
              runId + "/" + execution, List.copyOf(messages), List.of(), Map.of()));
      messages.clear();
    }
  }

  private void endMessage() {
    if (!text.isEmpty()) {
      messages.add(message(kind, text.toString()));
      text.setLength(0);
    }
  }

  private static ConversationMessage message(TranscriptLine.Kind kind, String words) {
    return switch (kind) {
      case ASKED -> text(MessageRole.USER, words);
      case SAID, QUESTION -> text(MessageRole.ASSISTANT, words);
      case DID ->
          message(
              MessageRole.ASSISTANT,
              new ConversationContent("action", null, text(words), null, null, Map.of()));
      case RESULT ->
          message(
              MessageRole.TOOL,
              new ConversationContent("action_result", null, null, text(words), null, Map.of()));
      case STATUS -> event(MessageRole.ASSISTANT, "status", words);
      case ERROR -> event(MessageRole.SYSTEM, "standard_error", words);
      case NOTE -> event(MessageRole.SYSTEM, "note", words);
    };
  }

  private static ConversationMessage text(MessageRole role, String words) {
    return message(role, new ConversationContent("text", words, null, null, null, Map.of()));
  }

  private static ConversationMessage event(MessageRole role, String name, String words) {
    return message(
        role,
        new ConversationContent(
            "event", null, null, null, text(words).put("name", name), Map.of()));
  }

  private static ObjectNode text(String words) {
    return Json.newObject().put("text", words);
  }

  private static ConversationMessage message(MessageRole role, ConversationContent content) {
    return new ConversationMessage(role, List.of(content), Map.of());
  }
}
