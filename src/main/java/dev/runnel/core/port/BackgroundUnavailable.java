package dev.runnel.core.port;

import java.time.Duration;
import java.util.Optional;

/// The platform could not be read for earlier messages; a later attempt may succeed.
public final class BackgroundUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Optional<Duration> after;

  /// @param after the delay that the platform asks for
  public BackgroundUnavailable(String why, Optional<Duration> after, Throwable cause) {
    super(why, cause);
    this.after = after;
  }

  public String why() {
    return String.valueOf(getMessage());
  }

  public Optional<Duration> after() {
    return after;
  }
}
