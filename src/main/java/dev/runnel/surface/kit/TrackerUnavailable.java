package dev.runnel.surface.kit;

import java.time.Duration;
import java.util.Optional;

/// A call to the tracker failed temporarily. [dev.runnel.surface.tracker.TrackerSurface] turns it
/// into the results of the port.
public final class TrackerUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Optional<Duration> after;
  private final String why;

  /// @param after the delay that the tracker asks for
  public TrackerUnavailable(Optional<Duration> after, String why) {
    super(why);
    this.after = after;
    this.why = why;
  }

  public Optional<Duration> after() {
    return after;
  }

  public String why() {
    return why;
  }
}
