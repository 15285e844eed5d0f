package dev.runnel.service.run.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CostLimitTest {
  private static final CostLimit PRICED =
      new CostLimit(Optional.empty(), () -> new BigDecimal("0.10"));
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void reportedCostCountsAsReportedWithinTenTimesThePriceOfTheTime() {
    assertThat(PRICED.counted(new BigDecimal("7.25"), HOUR)).isEqualByComparingTo("7.25");
  }

  @Test
  void forgedTotalCountsAtMostTenTimesThePriceOfTheTime() {
    assertThat(PRICED.counted(new BigDecimal("100000"), HOUR)).isEqualByComparingTo("61.00");
    assertThat(PRICED.counted(new BigDecimal("100000"), Duration.ofSeconds(1)))
        .isEqualByComparingTo("1.00");
  }

  @Test
  void forgedTrifleCountsAtLeastATenthOfThePriceOfTheTime() {
    assertThat(PRICED.cost(new BigDecimal("0.000001"), HOUR)).isEqualByComparingTo("0.60");
  }

  @Test
  void withoutAPriceCostCountsAsReported() {
    assertThat(CostLimit.NONE.counted(new BigDecimal("100000"), HOUR))
        .isEqualByComparingTo("100000");
  }
}
