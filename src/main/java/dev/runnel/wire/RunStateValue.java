package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Set;

/// A run's state on the wire. Open: unknown values are preserved.
public record RunStateValue(@JsonValue String value) {
  public static final RunStateValue QUEUED = new RunStateValue("QUEUED");
  public static final RunStateValue PENDING = new RunStateValue("PENDING");
  public static final RunStateValue CLAIMED = new RunStateValue("CLAIMED");
  public static final RunStateValue INPROGRESS = new RunStateValue("INPROGRESS");
  public static final RunStateValue BLOCKED = new RunStateValue("BLOCKED");
  public static final RunStateValue SUCCEEDED = new RunStateValue("SUCCEEDED");
  public static final RunStateValue FAILED = new RunStateValue("FAILED");
  public static final RunStateValue ERROR = new RunStateValue("ERROR");
  public static final RunStateValue CANCELLED = new RunStateValue("CANCELLED");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public RunStateValue {}

  private static final Set<RunStateValue> ENDED = Set.of(SUCCEEDED, FAILED, ERROR, CANCELLED);
  private static final Set<RunStateValue> UNDER_WAY = Set.of(QUEUED, PENDING, CLAIMED, INPROGRESS);

  /// Whether the run has ended. A follow-up may start it again.
  @JsonIgnore
  public boolean isEnded() {
    return ENDED.contains(this);
  }

  /// Whether it waits for an answer from a person.
  @JsonIgnore
  public boolean isBlocked() {
    return equals(BLOCKED);
  }

  /// Whether it progresses by itself. False for a blocked run, which has not ended either, and for
  /// an unknown state.
  @JsonIgnore
  public boolean isUnderWay() {
    return UNDER_WAY.contains(this);
  }

  @Override
  public String toString() {
    return value;
  }
}
