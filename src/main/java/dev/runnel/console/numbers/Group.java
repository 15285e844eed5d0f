package dev.runnel.console.numbers;

import java.time.Duration;
import java.util.Optional;

/// A line of a table: the runs of a person, a channel, a model, or a day.
///
/// @param key the common value, as the platform or the service names it
/// @param name the same for people
/// @param link the list of these runs; empty if there is none
/// @param ends how many finished, failed and were stopped; empty where that is not known
/// @param time how long agents worked
/// @param micros the cost in millionths
public record Group(
    String key,
    String name,
    String link,
    long runs,
    Optional<Ends> ends,
    Duration time,
    long micros) {
  /// How runs ended.
  public record Ends(long succeeded, long failed, long cancelled) {
    static final Ends NONE = new Ends(0, 0, 0);

    /// The share that finished, for people: `94 %`; empty if none ended.
    public String success() {
      var counted = succeeded + failed;
      return counted == 0 ? "" : Math.round(100.0 * succeeded / counted) + " %";
    }
  }

  public String cost() {
    return Money.of(micros);
  }

  public String hours() {
    return Times.of(time);
  }

  public String success() {
    return ends.map(Ends::success).orElse("");
  }
}
