package dev.runnel.service.run.limit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Optional;

/// The cost limit of one run. If an agent reports no cost, the cost is computed from its working
/// time.
///
/// @param dollars maximum cost in US dollars; empty for no limit
/// @param perMinute assumed cost of one minute of an agent in US dollars
public record CostLimit(Optional<BigDecimal> dollars, BigDecimal perMinute) {
  public static final CostLimit NONE = new CostLimit(Optional.empty(), BigDecimal.ZERO);

  private static final BigDecimal MILLIS_PER_MINUTE = BigDecimal.valueOf(60_000);
  private static final int SCALE = 6;

  /// The cost of work.
  ///
  /// @param reported what its agent reported; 0 for nothing
  public BigDecimal cost(BigDecimal reported, Duration worked) {
    return reported.signum() > 0
        ? reported
        : perMinute
            .multiply(BigDecimal.valueOf(worked.toMillis()))
            .divide(MILLIS_PER_MINUTE, SCALE, RoundingMode.HALF_UP);
  }

  /// The reason, for people, if a cost has reached the limit: `it has cost $1.20 of the $1.00
  /// allowed`; empty if not.
  public Optional<String> reached(BigDecimal cost) {
    return dollars
        .filter(limit -> cost.compareTo(limit) >= 0)
        .map(limit -> "it has cost %s of the %s allowed".formatted(format(cost), format(limit)));
  }

  private static String format(BigDecimal amount) {
    return "$" + amount.setScale(2, RoundingMode.HALF_UP).toPlainString();
  }
}
