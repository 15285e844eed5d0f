package dev.runnel.console.numbers;

import dev.runnel.console.numbers.Group.Ends;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunStatistics.Fact;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Sums over the runs of one or more days.
///
/// @param queue how long runs waited for a slot
/// @param work how long agents worked on runs that ended
record RunSums(
    Sum all,
    Map<RunState, Long> states,
    TimeSpans queue,
    TimeSpans work,
    Map<String, Sum> environments,
    Map<String, Sum> models,
    Map<String, Sum> sources) {
  /// @param time how long agents worked
  /// @param micros the cost in millionths
  record Sum(long runs, Ends ends, Duration time, long micros) {
    static final Sum NONE = new Sum(0, Ends.NONE, Duration.ZERO, 0);

    Sum plus(Sum other) {
      return new Sum(
          runs + other.runs,
          new Ends(
              ends.succeeded() + other.ends.succeeded(),
              ends.failed() + other.ends.failed(),
              ends.cancelled() + other.ends.cancelled()),
          time.plus(other.time),
          micros + other.micros);
    }

    static Sum of(Fact fact) {
      return new Sum(
          1,
          new Ends(
              fact.state() == RunState.SUCCEEDED ? 1 : 0,
              fact.state() == RunState.FAILED ? 1 : 0,
              fact.state() == RunState.CANCELLED ? 1 : 0),
          fact.worked(),
          fact.micros());
    }
  }

  static RunSums of(List<Fact> facts) {
    return new RunSums(
        facts.stream().map(Sum::of).reduce(Sum.NONE, Sum::plus),
        facts.stream().collect(Collectors.groupingBy(Fact::state, Collectors.counting())),
        TimeSpans.of(
            facts.stream()
                .flatMap(
                    it -> it.startedAt().map(at -> Duration.between(it.createdAt(), at)).stream())
                .filter(it -> !it.isNegative())),
        TimeSpans.of(
            facts.stream()
                .filter(it -> it.state().isTerminal() && it.startedAt().isPresent())
                .map(Fact::worked)),
        by(facts, Fact::environment),
        by(facts, Fact::model),
        by(facts, Fact::source));
  }

  private static Map<String, Sum> by(List<Fact> facts, Function<Fact, String> key) {
    return facts.stream().collect(Collectors.toMap(key, Sum::of, Sum::plus));
  }

  static RunSums merged(List<RunSums> parts) {
    return new RunSums(
        parts.stream().map(RunSums::all).reduce(Sum.NONE, Sum::plus),
        Arrays.stream(RunState.values())
            .collect(
                Collectors.toMap(
                    it -> it, it -> parts.stream().mapToLong(each -> each.count(it)).sum())),
        TimeSpans.merged(parts.stream().map(RunSums::queue).toList()),
        TimeSpans.merged(parts.stream().map(RunSums::work).toList()),
        merged(parts, RunSums::environments),
        merged(parts, RunSums::models),
        merged(parts, RunSums::sources));
  }

  private static Map<String, Sum> merged(
      List<RunSums> parts, Function<RunSums, Map<String, Sum>> sums) {
    var merged = new HashMap<String, Sum>();
    for (var part : parts) {
      sums.apply(part).forEach((key, sum) -> merged.merge(key, sum, Sum::plus));
    }
    return merged;
  }

  long count(RunState state) {
    return states.getOrDefault(state, 0L);
  }
}
