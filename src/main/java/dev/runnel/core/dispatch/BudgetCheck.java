package dev.runnel.core.dispatch;

import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Starts.Start;
import dev.runnel.core.port.Store.Work;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Whether one more start is within all budgets that apply to it.
///
/// @param exceeded a sentence for each budget that is used up
/// @param warnings a sentence for each budget that the start nearly uses up
record BudgetCheck(List<String> exceeded, List<String> warnings) {
  static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("d MMM HH:mm 'UTC'", Locale.ENGLISH).withZone(ZoneOffset.UTC);

  /// Locks the starts, so that the sums do not change before the commit.
  static BudgetCheck of(Policy policy, Work work, Start start) {
    var exceeded = new ArrayList<String>();
    var warnings = new ArrayList<String>();
    if (!policy.budgets().isEmpty()) {
      work.starts().lock();
    }
    for (var budget : policy.budgets()) {
      var sum = sum(work, budget, start);
      var used = used(policy, sum);
      if (!budget.permits(used)) {
        exceeded.add(exceeded(budget, used, sum.since()));
      } else if (budget.warns(used)) {
        warnings.add(budget.warning(used.plusRun()));
      }
    }
    return new BudgetCheck(exceeded, warnings);
  }

  private static String exceeded(Budget budget, Budget.Used used, Optional<Instant> since) {
    return "No run was started: a budget is used up (%s: %s).%s Your Runnel admin can raise %s."
        .formatted(
            budget.whose(),
            budget.words(used),
            since
                .map(oldest -> " There is room again from " + free(budget, oldest) + ".")
                .orElse(""),
            budget.name());
  }

  private static String free(Budget budget, Instant oldest) {
    return TIME.format(oldest.plus(budget.period().length()).plus(Duration.ofMinutes(1)));
  }

  static Budget.Used used(Policy policy, Store.Starts.Sum sum) {
    return policy.used(sum.runs(), sum.time(), sum.micros(), sum.unpriced());
  }

  static Store.Starts.Sum sum(Work work, Budget budget, Start start) {
    var none = Optional.<String>empty();
    var since = start.at().minus(budget.period().length());
    return switch (budget.per()) {
      case WATCH ->
          Budget.isOfWatch(start.person())
              ? work.starts().sum(Optional.of(start.person()), none, none, since)
              : new Store.Starts.Sum(0, Duration.ZERO, 0, Duration.ZERO, Optional.empty());
      case PERSON -> work.starts().sum(Optional.of(start.person()), none, none, since);
      case CHANNEL, REPOSITORY -> work.starts().sum(none, Optional.of(start.place()), none, since);
      case ENVIRONMENT -> work.starts().sum(none, none, Optional.of(start.environment()), since);
      case ALL -> work.starts().sum(none, none, none, since);
    };
  }
}
