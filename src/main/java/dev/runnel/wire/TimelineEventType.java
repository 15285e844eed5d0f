package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// The type of an event of a run. Open: unknown values are preserved.
public record TimelineEventType(@JsonValue String value) {
  public static final TimelineEventType OZ_RUN_CREATED = new TimelineEventType("oz_run_created");
  public static final TimelineEventType OZ_RUN_CLAIMED = new TimelineEventType("oz_run_claimed");
  public static final TimelineEventType WORKER_CONTAINER_READY =
      new TimelineEventType("worker_container_ready");
  public static final TimelineEventType SHARED_SESSION_STARTED =
      new TimelineEventType("shared_session_started");
  public static final TimelineEventType AGENT_STARTED = new TimelineEventType("agent_started");
  public static final TimelineEventType OZ_RUN_DONE = new TimelineEventType("oz_run_done");
  public static final TimelineEventType OZ_RUN_BLOCKED = new TimelineEventType("oz_run_blocked");
  public static final TimelineEventType OZ_RUN_CANCELLED =
      new TimelineEventType("oz_run_cancelled");
  public static final TimelineEventType OZ_RUN_FAILED = new TimelineEventType("oz_run_failed");
  public static final TimelineEventType OZ_RUN_ERRORED = new TimelineEventType("oz_run_errored");
  public static final TimelineEventType VM_SHUTDOWN = new TimelineEventType("vm_shutdown");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public TimelineEventType {}

  @Override
  public String toString() {
    return value;
  }
}
