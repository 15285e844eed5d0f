package dev.runnel.core.policy;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A limit on the use within a period that ends now.
///
/// @param name its name for people: `policy.budgets[0]`
/// @param per whose use is counted together
/// @param runs the number of starts; empty if not limited
/// @param time how long agents work; empty if not limited
/// @param money in the currency of the service's costs; empty if not limited
public record Budget(
    String name,
    Per per,
    Period period,
    Optional<Long> runs,
    Optional<Duration> time,
    Optional<BigDecimal> money) {
  /// Whose use is counted together.
  public enum Per {
    PERSON(""),
    CHANNEL("this channel"),
    REPOSITORY("this repository"),
    ENVIRONMENT("this environment"),
    /// Each watched channel; other starts are not counted.
    WATCH("this watched channel"),
    ALL("everybody together");

    private final String words;

    Per(String words) {
      this.words = words;
    }
  }

  public enum Period {
    HOUR(Duration.ofHours(1)),
    DAY(Duration.ofDays(1)),
    MONTH(Duration.ofDays(30));

    private final Duration length;

    Period(Duration length) {
      this.length = length;
    }

    public Duration length() {
      return length;
    }
  }

  /// Part of the id of a watched channel as a requester: `slack:watch:C012345`.
  private static final String OF_WATCH = ":watch:";

  private static final BigDecimal MICROS = BigDecimal.valueOf(1_000_000);

  /// The share of the budget at which people are warned.
  private static final double WARNED_AT = 0.8;

  /// The use so far.
  ///
  /// @param micros the cost in millionths
  public record Used(long runs, Duration time, long micros) {
    /// The use with one more run.
    public Used plusRun() {
      return new Used(runs + 1, time, micros);
    }
  }

  /// Whether a requester is a watched channel.
  ///
  /// @param person with the platform: `slack:U012345`
  public static boolean isOfWatch(String person) {
    return person.contains(OF_WATCH);
  }

  /// Whether there is room for another start.
  public boolean permits(Used used) {
    return runs.map(limit -> used.runs() < limit).orElse(true)
        && time.map(limit -> used.time().compareTo(limit) < 0).orElse(true)
        && money.map(limit -> used.micros() < micros(limit)).orElse(true);
  }

  /// Whether a start gets a warning that the budget is nearly used up. It does if it brings the
  /// runs from below 80 % to 80 % or more, or if 80 % of the time or of the money are used. Time
  /// and money grow between starts, so each start is warned about them.
  ///
  /// @param used before the start
  public boolean warns(Used used) {
    var reachesRuns =
        runs.filter(limit -> used.runs() < WARNED_AT * limit)
            .filter(limit -> used.plusRun().runs() >= WARNED_AT * limit)
            .isPresent();
    return reachesRuns
        || time.filter(limit -> used.time().toMillis() >= WARNED_AT * limit.toMillis()).isPresent()
        || money.filter(limit -> used.micros() >= WARNED_AT * micros(limit)).isPresent();
  }

  private static long micros(BigDecimal money) {
    return money.multiply(MICROS).longValue();
  }

  /// The use in proportion to the limits, for a sentence: `2 of 3 runs a day`.
  public String words(Used used) {
    return Stream.of(
                runs.map(limit -> "%d of %d runs".formatted(used.runs(), limit)),
                time.map(
                    limit ->
                        "%d of %d minutes".formatted(used.time().toMinutes(), limit.toMinutes())),
                money.map(
                    limit ->
                        String.format(
                            Locale.ROOT, "%.2f of %s in costs", used.micros() / 1e6, limit)))
            .flatMap(Optional::stream)
            .collect(Collectors.joining(", "))
        + " a "
        + period.name().toLowerCase(Locale.ROOT);
  }

  /// Whose budget it is, for a sentence: `yours`.
  public String whose() {
    return per == Per.PERSON ? "yours" : "that of " + per.words;
  }

  /// The warning of a start that nearly uses it up.
  ///
  /// @param used with the start
  public String warning(Used used) {
    return "%s is nearly used up: with this run, %s (`%s`)."
        .formatted(
            per == Per.PERSON ? "Your budget" : "The budget of " + per.words, words(used), name);
  }
}
