package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// The status of a pull request. Open: unknown values are preserved.
public record PullRequestStatus(@JsonValue String value) {
  public static final PullRequestStatus OPEN = new PullRequestStatus("open");
  public static final PullRequestStatus DRAFT = new PullRequestStatus("draft");
  public static final PullRequestStatus MERGED = new PullRequestStatus("merged");
  public static final PullRequestStatus CLOSED = new PullRequestStatus("closed");
  public static final PullRequestStatus UNKNOWN = new PullRequestStatus("unknown");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public PullRequestStatus {}

  @Override
  public String toString() {
    return value;
  }
}
