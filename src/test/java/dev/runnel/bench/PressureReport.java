package dev.runnel.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// What a [Pressure] found.
///
/// @param table the figures, for people
/// @param problems what did not hold and is no time
/// @param latenesses what was too late
public record PressureReport(String table, List<String> problems, List<String> latenesses) {
  private static final double MAX_ACKNOWLEDGED_MILLIS = 1_500;
  private static final double MAX_REFUSED_MILLIS = 2_000;
  private static final Duration MAX_HEALTH = Duration.ofMillis(200);
  private static final Duration MAX_FRESH = Duration.ofMillis(500);

  /// How quickly it was well again.
  ///
  /// @param health the answer of `/healthz`
  /// @param fresh the acknowledgement of a command
  /// @param answered the answer of its run
  record After(Optional<Duration> health, Optional<Duration> fresh, Optional<Duration> answered) {}

  static PressureReport ended(long resident, PressureLoad.Sent sent, String log) {
    var last = log.substring(Math.max(0, log.length() - 4_000));
    return new PressureReport(
        table(resident, sent), List.of("The process ended. Its last words:\n" + last), List.of());
  }

  static PressureReport of(
      long resident, PressureLoad.Sent sent, PressedRuns runs, long repeatedAnswers, After after) {
    var problems = new ArrayList<String>();
    if (resident > Pressure.MAX_RESIDENT_MIB) {
      problems.add(
          "Resident memory was %d MiB, more than %d"
              .formatted(resident, Pressure.MAX_RESIDENT_MIB));
    }
    var lost =
        sent.accepted().stream()
            .filter(task -> !runs.count().containsKey(task) && !runs.waiting().contains(task))
            .toList();
    if (!lost.isEmpty()) {
      problems.add("%d acknowledged commands are lost: %s".formatted(lost.size(), some(lost)));
    }
    var doubled =
        runs.count().entrySet().stream()
            .filter(each -> each.getValue() > 1)
            .map(Map.Entry::getKey)
            .toList();
    if (!doubled.isEmpty()) {
      problems.add("%d commands have several runs: %s".formatted(doubled.size(), some(doubled)));
    }
    if (repeatedAnswers > 0) {
      problems.add("%d answers were posted twice".formatted(repeatedAnswers));
    }
    if (!runs.failed().isEmpty()) {
      problems.add(
          "%d runs of people ended in an error: %s"
              .formatted(runs.failed().size(), some(List.copyOf(runs.failed().entrySet()))));
    }
    if (after.answered().isEmpty()) {
      problems.add("A fresh command after the load got no answer");
    }
    if (runs.before() > PressureLoad.PEOPLE + PressureLoad.NOISY) {
      problems.add(
          "%d other runs began before that of a person who had none".formatted(runs.before()));
    }
    if (2 * sent.accepted().size() < sent.commands()) {
      problems.add("%d of %d commands got 200".formatted(sent.accepted().size(), sent.commands()));
    }
    var late = new ArrayList<String>();
    if (sent.acknowledged().millis(0.99) > MAX_ACKNOWLEDGED_MILLIS) {
      late.add("p99 of acknowledgements is %.0f ms".formatted(sent.acknowledged().millis(0.99)));
    }
    if (sent.refused().millis(1) > MAX_REFUSED_MILLIS) {
      late.add("A refusal took %.0f ms".formatted(sent.refused().millis(1)));
    }
    late(after.health(), MAX_HEALTH, "/healthz after the load").ifPresent(late::add);
    late(after.fresh(), MAX_FRESH, "A fresh command after the load").ifPresent(late::add);
    return new PressureReport(
        table(resident, sent)
            + "runs of people: %s, and commands that wait: %,d%nafter it: /healthz %s, fresh command %s, its answer %s, %d other runs began before%n"
                .formatted(
                    runs.states(),
                    runs.waiting().size(),
                    millis(after.health()),
                    millis(after.fresh()),
                    millis(after.answered()),
                    runs.before()),
        problems,
        late);
  }

  private static Optional<String> late(Optional<Duration> took, Duration most, String what) {
    return took.filter(each -> each.compareTo(most) <= 0).isPresent()
        ? Optional.empty()
        : Optional.of("%s took %s".formatted(what, millis(took)));
  }

  private static String millis(Optional<Duration> took) {
    return took.map(each -> each.toMillis() + " ms").orElse("too long");
  }

  private static String some(List<?> all) {
    return all.stream().limit(10).toList().toString();
  }

  private static String table(long resident, PressureLoad.Sent sent) {
    return String.format(
        Locale.ROOT,
        "resident memory at most %d MiB%n"
            + "commands %,d: 200 for %,d (p50 %.0f, p99 %.0f, last %.0f ms), refused %,d (last %.0f"
            + " ms), without an answer %,d%n"
            + "other senders, answers by status (0: none): %s%n",
        resident,
        sent.commands(),
        sent.accepted().size(),
        sent.acknowledged().millis(0.5),
        sent.acknowledged().millis(0.99),
        sent.acknowledged().millis(1),
        sent.refused().count(),
        sent.refused().millis(1),
        sent.unanswered(),
        sent.statuses());
  }
}
