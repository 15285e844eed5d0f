package dev.runnel.json;

import java.io.IOException;

/// A document is not read. The message says why in words for its sender, without any of its text.
public final class RefusedJsonException extends IOException {
  private static final long serialVersionUID = 1;

  private final boolean isForNow;

  private RefusedJsonException(String why, boolean isForNow) {
    super(why);
    this.isForNow = isForNow;
  }

  static RefusedJsonException because(String why) {
    return new RefusedJsonException(why, false);
  }

  static RefusedJsonException forNow() {
    return new RefusedJsonException("There is no memory for it now", true);
  }

  /// Whether the same document may be read later: nothing is wrong with it, but there is no memory
  /// for it now.
  public boolean isForNow() {
    return isForNow;
  }

  /// A sentence without a full stop.
  public String why() {
    return String.valueOf(getMessage());
  }
}
