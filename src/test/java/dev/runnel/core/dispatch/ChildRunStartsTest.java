package dev.runnel.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Starts.Freeze;
import dev.runnel.core.port.Store.Starts.Start;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.testkit.SettableClock;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChildRunStartsTest {
  private static final DeliveryId ASKED = new DeliveryId("slack:1");

  private final SettableClock clock = new SettableClock();
  private final Store store = new MemoryStore();
  private BigDecimal price = BigDecimal.ZERO;

  private ChildRunStarts within(
      Optional<Long> runs, Optional<Duration> time, Optional<BigDecimal> money) {
    store.commit(
        work -> {
          work.starts().add(new Start(ASKED, "slack:U1", "slack:T1/C1", "web", clock.instant()));
          return true;
        });
    var budget =
        new Budget("policy.budgets[0]", Budget.Per.PERSON, Budget.Period.DAY, runs, time, money);
    var policy = new Policy(Map.of(), List.of(), List.of(), List.of(budget), price);
    return new ChildRunStarts(() -> policy, store, clock);
  }

  @Test
  void theRunsOfAgentsCountAsRunsOfThePerson() {
    var family = within(Optional.of(3L), Optional.empty(), Optional.empty());

    assertThat(family.refuse(ASKED, "a")).isEmpty();
    assertThat(family.refuse(ASKED, "b")).isEmpty();
    assertThat(family.refuse(ASKED, "c").orElseThrow())
        .startsWith("No run was started: a budget is used up (yours: 3 of 3 runs a day).")
        .endsWith("Your Runnel admin can raise policy.budgets[0].");

    clock.advance(Duration.ofDays(1).plusMinutes(1));
    assertThat(family.refuse(ASKED, "d")).isEmpty();
  }

  @Test
  void minutesOfChildRunsCountForTheBudget() {
    var family = within(Optional.empty(), Optional.of(Duration.ofMinutes(10)), Optional.empty());

    assertThat(family.refuse(ASKED, "a")).isEmpty();
    family.used("a", Duration.ofMinutes(11), 0);
    assertThat(family.refuse(ASKED, "b").orElseThrow()).contains("11 of 10 minutes a day");
  }

  @Test
  void costOfChildRunsCountsForTheBudget() {
    var family = within(Optional.empty(), Optional.empty(), Optional.of(BigDecimal.ONE));

    assertThat(family.refuse(ASKED, "a")).isEmpty();
    family.used("a", Duration.ZERO, 1_200_000);
    assertThat(family.refuse(ASKED, "b").orElseThrow()).contains("1.20 of 1 in costs a day");
  }

  @Test
  void minutesOfChildRunsArePricedIfTheirCostIsUnknown() {
    price = new BigDecimal("0.10");
    var family = within(Optional.empty(), Optional.empty(), Optional.of(BigDecimal.ONE));

    assertThat(family.refuse(ASKED, "a")).isEmpty();
    family.used("a", Duration.ofMinutes(5), 0);
    assertThat(family.refuse(ASKED, "b")).isEmpty();
    family.used("b", Duration.ofMinutes(90), 400_000);
    assertThat(family.refuse(ASKED, "c")).isEmpty();
    family.used("c", Duration.ofMinutes(2), 0);
    assertThat(family.refuse(ASKED, "d").orElseThrow()).contains("1.10 of 1 in costs a day");
  }

  @Test
  void freezeBlocksChildRunStarts() {
    var family = within(Optional.empty(), Optional.empty(), Optional.empty());
    assertThat(family.frozen()).isEmpty();

    store.commit(
        work -> {
          var dana = new Actor("slack:U1", "dana");
          work.starts().freeze(new Freeze(dana, Optional.of("a release"), clock.instant()));
          return true;
        });

    assertThat(family.frozen().orElseThrow()).contains("dana froze all starts");
  }

  @Test
  void childRunOfAnUnknownDeliveryIsNotLimited() {
    var family = within(Optional.of(1L), Optional.empty(), Optional.empty());

    assertThat(family.refuse(new DeliveryId("slack:unknown"), "a")).isEmpty();
  }
}
