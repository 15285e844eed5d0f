package dev.runnel.core.model.run;

import java.util.Locale;

/// What became of a pull request.
public enum PullRequestState {
  DRAFT,
  OPEN,
  MERGED,
  CLOSED;

  /// In a sentence: `merged`.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isEnd() {
    return this == MERGED || this == CLOSED;
  }
}
