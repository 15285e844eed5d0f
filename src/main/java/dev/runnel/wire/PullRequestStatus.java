package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// How far a pull request is. Open: a value that this version does not know is kept as it came.
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
