package dev.runnel.bench;

import dev.runnel.surface.slack.post.SlackLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a day of runs asks of machines and platforms, simulated without waiting: how many agents
/// work at once, how many transactions a second the database has in the busiest hour, and how late
/// posts are under the limits of Slack and GitHub. Runs begin at random through a day with busy
/// hours; half of them take more than five minutes. In Slack each posts a message when it begins
/// and one when it ends, and edits the first one both times; on GitHub it writes two comments, with
/// one token for each workspace. Argument: the seed.
///
/// `mvn -q test-compile exec:exec@bench -Dbench=dev.runnel.bench.DayOfRuns`
public final class DayOfRuns {
  /// The share of each hour, in percent.
  private static final int[] HOURS = {
    1, 1, 1, 1, 1, 1, 2, 4, 8, 11, 12, 10, 6, 9, 10, 8, 5, 3, 2, 1, 1, 1, 1, 0
  };

  private static final int HOUR = 3_600;
  private static final double MEDIAN = 300;
  private static final int CHANNELS = 20;

  /// As [ClaimedRuns] counts them.
  private static final int TRANSACTIONS = 14;

  private static final Limit MESSAGES_OF_A_CHANNEL = new Limit(1, 1);

  /// Slack says "several hundred a minute".
  private static final Limit MESSAGES_OF_A_WORKSPACE = new Limit(300, 60);

  private static final Limit EDITS_OF_A_WORKSPACE = new Limit(50, 60);
  private static final Limit COMMENTS_OF_A_TOKEN = new Limit(500, HOUR);

  /// At most `count` calls in any `seconds`.
  private record Limit(int count, int seconds) {}

  private record Place(int workspace, int channel) {}

  /// @param begin second of the day
  private record OneRun(Place place, double begin, double end) {}

  /// @param wanted when the run asks for it
  /// @param at when the platform takes it
  private record Call(Place place, double wanted, double at) {}

  private DayOfRuns() {}

  public static void main(String[] args) {
    var seed = args.length > 0 ? Long.parseLong(args[0]) : 1;
    System.out.printf(
        "%9s %10s %7s %9s %10s %24s %24s %24s%n",
        "runs",
        "workspaces",
        "agents",
        "tx/s",
        "card",
        "Slack messages late",
        "Slack edits late",
        "GitHub comments late");
    print(1, day(10, 1, new Random(seed)));
    print(1, day(1_000, 1, new Random(seed)));
    print(1, day(10_000, 1, new Random(seed)));
    print(1, day(100_000, 1, new Random(seed)));
    print(1_000, day(100_000, 1_000, new Random(seed)));
  }

  private static List<OneRun> day(int count, int workspaces, Random chance) {
    var runs = new ArrayList<OneRun>();
    for (int i = 0; i < count; i++) {
      var begin = (hour(chance.nextInt(100)) + chance.nextDouble()) * HOUR;
      var end = begin + MEDIAN * Math.exp(chance.nextGaussian());
      runs.add(
          new OneRun(new Place(chance.nextInt(workspaces), chance.nextInt(CHANNELS)), begin, end));
    }
    runs.sort(Comparator.comparingDouble(OneRun::begin));
    return runs;
  }

  private static int hour(int percent) {
    var hour = 0;
    for (var rest = percent; rest >= HOURS[hour]; hour++) {
      rest -= HOURS[hour];
    }
    return hour;
  }

  private static void print(int workspaces, List<OneRun> runs) {
    var mostInAWorkspace =
        runs.stream()
            .collect(Collectors.groupingBy(run -> run.place().workspace()))
            .values()
            .stream()
            .mapToInt(DayOfRuns::mostAtOnce)
            .max()
            .orElse(0);
    var busiest = runs.size() * Arrays.stream(HOURS).max().orElseThrow() / 100.0 / HOUR;
    var calls =
        runs.stream()
            .flatMap(
                run -> Stream.of(run.begin(), run.end()).map(at -> new Call(run.place(), at, at)))
            .toList();
    var inChannels = limited(calls, Call::place, MESSAGES_OF_A_CHANNEL);
    System.out.printf(
        Locale.ROOT,
        "%,9d %,10d %,7d %9.1f %10s %24s %24s %24s%n",
        runs.size(),
        workspaces,
        mostAtOnce(runs),
        busiest * TRANSACTIONS,
        time(60.0 * mostInAWorkspace / SlackLimits.EDITS_PER_MINUTE),
        late(limited(inChannels, DayOfRuns::workspace, MESSAGES_OF_A_WORKSPACE)),
        late(limited(calls, DayOfRuns::workspace, EDITS_OF_A_WORKSPACE)),
        late(limited(calls, DayOfRuns::workspace, COMMENTS_OF_A_TOKEN)));
  }

  private static int workspace(Call call) {
    return call.place().workspace();
  }

  /// @param runs in the order in which they begin
  private static int mostAtOnce(List<OneRun> runs) {
    var ends = new PriorityQueue<Double>();
    var most = 0;
    for (var run : runs) {
      while (!ends.isEmpty() && ends.peek() <= run.begin()) {
        ends.remove();
      }
      ends.add(run.end());
      most = Math.max(most, ends.size());
    }
    return most;
  }

  /// Delays the calls, in their order, until the limit permits them.
  ///
  /// @param scope the calls for which the limit counts together
  private static List<Call> limited(List<Call> calls, Function<Call, ?> scope, Limit limit) {
    var taken = new HashMap<Object, Queue<Double>>();
    return calls.stream()
        .sorted(Comparator.comparingDouble(Call::at))
        .map(
            call -> {
              var last = taken.computeIfAbsent(scope.apply(call), _ -> new ArrayDeque<>());
              var at =
                  last.size() < limit.count()
                      ? call.at()
                      : Math.max(call.at(), last.remove() + limit.seconds());
              last.add(at);
              return new Call(call.place(), call.wanted(), at);
            })
        .toList();
  }

  /// The median, the 99th percentile and the most.
  private static String late(List<Call> calls) {
    var late = calls.stream().mapToDouble(call -> call.at() - call.wanted()).sorted().toArray();
    return "%s / %s / %s"
        .formatted(
            time(late[late.length / 2]),
            time(late[late.length * 99 / 100]),
            time(late[late.length - 1]));
  }

  private static String time(double seconds) {
    var time = Duration.ofMillis(Math.round(seconds * 1_000));
    return time.toHours() > 0
        ? "%.1f h".formatted(seconds / HOUR)
        : time.toMinutes() > 0 ? "%.1f min".formatted(seconds / 60) : "%.1f s".formatted(seconds);
  }
}
