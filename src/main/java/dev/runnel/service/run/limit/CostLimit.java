package dev.runnel.service.run.limit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Optional;

/// What one run may cost. As long as an agent reports no cost, its minutes count.
///
/// @param dollars maximum cost in US dollars; empty for no limit
/// @param perMinute what a minute of an agent costs in US dollars
public record CostLimit(Optional<BigDecimal> dollars, BigDecimal perMinute) {
  public static final CostLimit NONE = new CostLimit(Optional.empty(), BigDecimal.ZERO);

  private static final BigDecimal MILLIS = BigDecimal.valueOf(60_000);
  private static final int DIGITS = 6;

  /// The cost of work.
  ///
  /// @param reported what its agent reported; 0 for nothing
  public BigDecimal cost(BigDecimal reported, Duration worked) {
    return reported.signum() > 0
        ? reported
        : perMinute
            .multiply(BigDecimal.valueOf(worked.toMillis()))
            .divide(MILLIS, DIGITS, RoundingMode.HALF_UP);
  }

  /// What is said of a run that has cost as much as it may: `it has cost $1.20 of the $1.00
  /// allowed`.
  public Optional<String> reached(BigDecimal cost) {
    return dollars
        .filter(most -> cost.compareTo(most) >= 0)
        .map(most -> "it has cost %s of the %s allowed".formatted(words(cost), words(most)));
  }

  private static String words(BigDecimal amount) {
    return "$" + amount.setScale(2, RoundingMode.HALF_UP).toPlainString();
  }
}
