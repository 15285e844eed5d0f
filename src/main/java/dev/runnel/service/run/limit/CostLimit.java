package dev.runnel.service.run.limit;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/// The cost limit of one run. If an agent reports no cost, the cost is computed from its working
/// time.
///
/// @param dollars maximum cost in US dollars; empty for no limit
/// @param perMinute assumed cost of one minute of an agent in US dollars, at present
public record CostLimit(Optional<BigDecimal> dollars, Supplier<BigDecimal> perMinute) {
  private record FixedPrice(BigDecimal get) implements Supplier<BigDecimal> {}

  public static final CostLimit NONE = new CostLimit(Optional.empty());

  private static final BigDecimal MILLIS_PER_MINUTE = BigDecimal.valueOf(60_000);
  private static final BigDecimal UNPROVEN_FACTOR = BigDecimal.TEN;
  private static final int SCALE = 6;

  /// A limit that counts only reported cost.
  public CostLimit(Optional<BigDecimal> dollars) {
    this(dollars, new FixedPrice(BigDecimal.ZERO));
  }

  /// The cost of work.
  ///
  /// @param reported what its agent reported; 0 for nothing
  public BigDecimal cost(BigDecimal reported, Duration worked) {
    return reported.signum() > 0 ? counted(reported, worked) : ofTime(worked);
  }

  /// How much of a reported cost counts. What a tool of the agent prints may look like a report of
  /// the agent, so the report is not proved: it counts as at most ten times what the time costs,
  /// and as at least a tenth of it. Without a price of the time, it counts as reported.
  ///
  /// @param worked for the maximum, each minute that has begun counts
  public BigDecimal counted(BigDecimal reported, Duration worked) {
    var price = perMinute.get();
    if (price.signum() <= 0) {
      return reported;
    }
    var minutes = BigDecimal.valueOf(worked.toMinutes() + 1);
    var most = price.multiply(minutes).multiply(UNPROVEN_FACTOR);
    var least = ofTime(worked).divide(UNPROVEN_FACTOR, SCALE, RoundingMode.HALF_UP);
    return reported.min(most).max(least);
  }

  private BigDecimal ofTime(Duration worked) {
    return perMinute
        .get()
        .multiply(BigDecimal.valueOf(worked.toMillis()))
        .divide(MILLIS_PER_MINUTE, SCALE, RoundingMode.HALF_UP);
  }

  /// The reason, for people, if a cost has reached the limit: `its run has cost $1.20, and one run
  /// may cost $1.00`; empty if not.
  public Optional<String> reached(BigDecimal cost) {
    return dollars
        .filter(limit -> cost.compareTo(limit) >= 0)
        .map(
            limit ->
                "its run has cost %s, and one run may cost %s"
                    .formatted(format(cost), format(limit)));
  }

  private static String format(BigDecimal amount) {
    return "$" + amount.setScale(2, RoundingMode.HALF_UP).toPlainString();
  }
}
