package dev.runnel.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BudgetTest {
  private static final Budget TEN =
      new Budget(
          "policy.budgets[0]",
          Budget.Per.PERSON,
          Budget.Period.DAY,
          Optional.empty(),
          Optional.empty(),
          Optional.of(BigDecimal.TEN));

  private static Budget.Used spent(long micros) {
    return new Budget.Used(1, Duration.ZERO, micros);
  }

  @Test
  void aStartIsRefusedWhenTheMoneyIsSpent() {
    assertThat(TEN.permits(spent(9_999_999))).isTrue();
    assertThat(TEN.permits(spent(10_000_000))).isFalse();
  }

  @Test
  void budgetWarnsFromEightyPercentOfTheMoney() {
    assertThat(TEN.warns(spent(7_999_999))).isFalse();
    assertThat(TEN.warns(spent(8_000_000))).isTrue();
  }
}
