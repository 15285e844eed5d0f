package dev.runnel.core.model.run;

import java.util.Locale;

/// The state of a pull request.
public enum PullRequestState {
  DRAFT,
  OPEN,
  MERGED,
  CLOSED;

  /// @param isClosed whether it is neither open nor merged
  public static PullRequestState of(boolean isMerged, boolean isClosed, boolean isDraft) {
    if (isMerged) {
      return MERGED;
    }
    if (isClosed) {
      return CLOSED;
    }
    return isDraft ? DRAFT : OPEN;
  }

  /// In a sentence: `merged`.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isEnd() {
    return this == MERGED || this == CLOSED;
  }
}
