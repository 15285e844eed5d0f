package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// How the service handled a follow-up. Open: unknown values are preserved.
public record FollowUpOutcome(@JsonValue String value) {
  public static final FollowUpOutcome QUEUED_PROMPT = new FollowUpOutcome("queued_prompt");
  public static final FollowUpOutcome LIVE_SESSION = new FollowUpOutcome("live_session");
  public static final FollowUpOutcome HANDOFF_EXECUTION = new FollowUpOutcome("handoff_execution");
  public static final FollowUpOutcome QUEUE_PENDING = new FollowUpOutcome("queue_pending");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public FollowUpOutcome {}

  @Override
  public String toString() {
    return value;
  }
}
