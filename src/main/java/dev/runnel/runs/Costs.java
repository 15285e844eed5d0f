package dev.runnel.runs;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Formats the cost of a run for people. The members of the usage differ between versions of the
/// service, so only those are summed whose names denote money: `…_cost_usd`, or `…_cost_cents` if
/// there is none.
final class Costs {
  private static final BigDecimal CENT = new BigDecimal("0.01");

  private Costs() {}

  /// The total, such as `$0.42`; empty if the usage contains no cost.
  static Optional<String> total(@Nullable JsonNode usage) {
    if (usage == null) {
      return Optional.empty();
    }
    return sum(usage, "cost_usd")
        .or(() -> sum(usage, "cost_cents").map(cents -> cents.multiply(CENT)))
        .filter(dollars -> dollars.signum() >= 0)
        .map(Costs::shown);
  }

  /// The member `total_…` if there is one, else the sum of all members with that ending.
  private static Optional<BigDecimal> sum(JsonNode usage, String ending) {
    var total = usage.path("total_" + ending);
    if (total.isNumber()) {
      return Optional.of(total.decimalValue());
    }
    return usage.properties().stream()
        .filter(member -> member.getKey().endsWith(ending) && member.getValue().isNumber())
        .map(member -> member.getValue().decimalValue())
        .reduce(BigDecimal::add);
  }

  private static String shown(BigDecimal dollars) {
    return dollars.signum() > 0 && dollars.compareTo(CENT) < 0
        ? "under $0.01"
        : "$" + dollars.setScale(2, RoundingMode.HALF_UP).toPlainString();
  }
}
