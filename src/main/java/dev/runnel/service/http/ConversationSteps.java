package dev.runnel.service.http;

import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.store.RunQueries;
import dev.runnel.wire.ActionState;
import dev.runnel.wire.ConversationContent;
import dev.runnel.wire.ConversationMessage;
import dev.runnel.wire.ConversationStep;
import dev.runnel.wire.MessageRole;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Converts a transcript to a conversation: one step per execution, with one message per
/// uninterrupted sequence of lines from one side. Only one message at a time is in memory. Not
/// thread-safe.
final class ConversationSteps {
  /// Receives a conversation piece by piece.
  interface Output {
    /// Messages of a step follow one another.
    void message(String stepId, ConversationMessage message) throws IOException;

    /// @param step the step of the messages so far, without them
    void ended(ConversationStep step) throws IOException;
  }

  private static final long MAX_CHARS = 8L * 1024 * 1024;

  /// A longer sequence of lines becomes several messages.
  private static final int MAX_MESSAGE = 128 * 1024;

  /// The whole output of a tool that failed, in the transcripts of older versions.
  private static final String FAILED = "failed";

  /// An action whose result may follow.
  private record LastAction(String id, PublicAction action) {}

  private final String runId;
  private final Output output;
  private boolean hasMessages;
  private final StringBuilder text = new StringBuilder();
  private TranscriptLine.Kind kind = TranscriptLine.Kind.NOTE;
  private Optional<Boolean> failed = Optional.empty();
  private int execution;
  private long size;
  private long firstLine;
  private Instant saidAt = Instant.EPOCH;
  private Instant stepStartedAt = Instant.EPOCH;
  private Instant lastLineAt = Instant.EPOCH;
  private @Nullable LastAction lastAction;

  private ConversationSteps(String runId, Output output) {
    this.runId = runId;
    this.output = output;
  }

  /// Writes the steps of a run so far. A very long transcript is cut after its beginning, with a
  /// note.
  static void write(String runId, RunQueries queries, Output output) throws IOException {
    var steps = new ConversationSteps(runId, output);
    var part = queries.transcript(runId, 0);
    while (part.isPresent() && !part.get().lines().isEmpty()) {
      for (var line : part.get().lines()) {
        if (!steps.add(line)) {
          steps.endStep(false);
          return;
        }
      }
      if (!part.get().mayGrow()) {
        steps.endStep(true);
        return;
      }
      part = queries.transcript(runId, part.get().lines().getLast().number());
    }
    steps.endStep(part.isPresent() && !part.get().mayGrow());
  }

  private boolean add(TranscriptLine line) throws IOException {
    size += line.text().length();
    if (size > MAX_CHARS) {
      endMessage();
      begin(TranscriptLine.Kind.NOTE, line);
      text.append("The rest is in the transcript.");
      return false;
    }
    if (line.execution() != execution) {
      endStep(true);
      execution = line.execution();
      stepStartedAt = line.at();
    } else if (line.kind() != kind
        || !isContinued(kind)
        || !line.failed().equals(failed)
        || text.length() > MAX_MESSAGE) {
      endMessage();
    }
    if (text.isEmpty()) {
      begin(line.kind(), line);
    }
    kind = line.kind();
    lastLineAt = line.at();
    text.append(text.isEmpty() ? "" : "\n").append(line.text());
    return true;
  }

  private void begin(TranscriptLine.Kind what, TranscriptLine line) {
    kind = what;
    failed = line.failed();
    firstLine = line.number();
    saidAt = line.at();
  }

  /// Whether consecutive lines of this kind form one message.
  private static boolean isContinued(TranscriptLine.Kind kind) {
    return switch (kind) {
      case SAID, RESULT, ERROR -> true;
      case ASKED, DID, STATUS, QUESTION, NOTE -> false;
    };
  }

  private void endStep(boolean isOver) throws IOException {
    endMessage();
    lastAction = null;
    if (hasMessages) {
      output.ended(
          new ConversationStep(
              stepId(),
              List.of(),
              List.of(),
              null,
              null,
              stepStartedAt,
              isOver ? lastLineAt : null,
              Map.of()));
      hasMessages = false;
    }
  }

  private void endMessage() throws IOException {
    if (!text.isEmpty()) {
      output.message(stepId(), message(kind, text.toString()));
      text.setLength(0);
      hasMessages = true;
    }
  }

  private String stepId() {
    return runId + "/" + execution;
  }

  private ConversationMessage message(TranscriptLine.Kind kind, String words) {
    return switch (kind) {
      case ASKED -> message(MessageRole.USER, ConversationContent.text(words));
      case SAID, QUESTION -> message(MessageRole.ASSISTANT, ConversationContent.text(words));
      case DID -> message(MessageRole.ASSISTANT, action(words));
      case RESULT -> message(MessageRole.TOOL, result(words));
      case STATUS -> message(MessageRole.ASSISTANT, event("status", words));
      case ERROR -> message(MessageRole.SYSTEM, event("standard_error", words));
      case NOTE -> message(MessageRole.SYSTEM, event("note", words));
    };
  }

  private ConversationContent action(String words) {
    var action = PublicAction.of(words);
    var current = new LastAction(runId + "/" + firstLine, action);
    lastAction = current;
    return ConversationContent.action(
        current.id(), action.name(), action.category(), action.input());
  }

  /// The result is assigned to the last action, because the transcript does not record to which of
  /// several parallel actions it belongs.
  private ConversationContent result(String words) {
    var of = lastAction;
    if (of == null) {
      return event("tool_output", words);
    }
    return ConversationContent.actionResult(
        of.id(),
        of.action().name(),
        of.action().category(),
        ServiceJson.newObject().put("text", words),
        failed.orElse(words.equals(FAILED)) ? ActionState.FAILED : ActionState.COMPLETED);
  }

  private static ConversationContent event(String name, String words) {
    return ConversationContent.event(name, ServiceJson.newObject().put("text", words));
  }

  private ConversationMessage message(MessageRole role, ConversationContent content) {
    return new ConversationMessage(role, List.of(content), null, null, saidAt, Map.of());
  }
}
