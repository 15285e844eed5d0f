package dev.runnel.console.numbers;

import dev.runnel.console.numbers.Group.Ends;
import dev.runnel.console.numbers.Plot.Column;
import dev.runnel.console.numbers.Plot.Kind;
import dev.runnel.core.model.RunState;
import dev.runnel.core.port.RunStatistics.Fact;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/// The numbers of a period, ready to be shown. Days are in UTC.
///
/// Public because the templates are in another package.
///
/// @param days the length of the period, today included
/// @param knowsRuns whether the run service says how its runs went
/// @param queue how long runs waited for a slot; empty if none started
/// @param work how long agents worked on runs that ended; empty if none ended
/// @param groups the tables, by what they are summed
/// @param budgets what is used and what is left
public record NumbersPage(
    int days,
    boolean knowsRuns,
    Ends ends,
    long runs,
    long running,
    long queued,
    long waiting,
    Optional<Percentiles> queue,
    Optional<Percentiles> work,
    long micros,
    List<Plot> plots,
    Map<Table, List<Group>> groups,
    List<BudgetView> budgets) {
  /// What a table is summed by.
  public enum Table {
    PERSON("Person"),
    CHANNEL("Channel"),
    REPOSITORY("Repository"),
    ENVIRONMENT("Environment"),
    MODEL("Model"),
    SOURCE("From"),
    DAY("Day");

    private final String title;

    Table(String title) {
      this.title = title;
    }

    public String title() {
      return title;
    }
  }

  /// Periods to choose from, in days.
  public static final List<Integer> PERIODS = List.of(7, 14, 30, 90);

  private static final Kind SUCCEEDED = new Kind("good", "finished");
  private static final Kind FAILED = new Kind("bad", "failed");
  private static final Kind OTHER = new Kind("other", "stopped or not ended");
  private static final Kind MEDIAN = new Kind("median", "median");
  private static final Kind P95 = new Kind("high", "95th percentile");
  private static final double SECONDS = 1000.0;

  /// A budget that people share, and its fullest users.
  ///
  /// @param whose for everybody empty, else the person or the place
  public record BudgetView(String name, String whose, String words, boolean isUsedUp) {}

  public NumbersPage {
    plots = List.copyOf(plots);
    groups = Map.copyOf(groups);
    budgets = List.copyOf(budgets);
  }

  /// The first instant of a period that ends today.
  static Instant start(int days, Instant now) {
    return LocalDate.ofInstant(now, ZoneOffset.UTC)
        .minusDays(days - 1L)
        .atStartOfDay(ZoneOffset.UTC)
        .toInstant();
  }

  /// @param facts empty if the run service does not say them
  /// @param people the tables that the conversations give: by person, channel and repository
  /// @param sourceName the name of a source for people
  static NumbersPage of(
      int days,
      Optional<List<Fact>> facts,
      Map<Table, List<Group>> people,
      List<BudgetView> budgets,
      Function<String, String> sourceName,
      Instant now) {
    var all = facts.orElse(List.of());
    var groups = new EnumMap<Table, List<Group>>(Table.class);
    groups.putAll(people);
    if (facts.isPresent()) {
      groups.put(Table.ENVIRONMENT, groups(all, Fact::environment, name -> name, "environment"));
      groups.put(Table.MODEL, groups(all, Fact::model, name -> name, "model"));
      groups.put(Table.SOURCE, groups(all, Fact::source, sourceName, "source"));
    }
    var byDay = byDay(all, days, now);
    groups.put(Table.DAY, dayGroups(byDay));
    return new NumbersPage(
        days,
        facts.isPresent(),
        ends(all),
        all.size(),
        count(all, RunState.RUNNING),
        count(all, RunState.QUEUED),
        count(all, RunState.BLOCKED),
        Percentiles.of(queueTimes(all)),
        Percentiles.of(workTimes(all)),
        all.stream().mapToLong(Fact::micros).sum(),
        plots(byDay),
        groups,
        budgets);
  }

  private static long count(List<Fact> facts, RunState state) {
    return facts.stream().filter(it -> it.state() == state).count();
  }

  private static Ends ends(List<Fact> facts) {
    return new Ends(
        count(facts, RunState.SUCCEEDED),
        count(facts, RunState.FAILED),
        count(facts, RunState.CANCELLED));
  }

  private static List<Duration> queueTimes(List<Fact> facts) {
    return facts.stream()
        .flatMap(it -> it.startedAt().map(at -> Duration.between(it.createdAt(), at)).stream())
        .filter(it -> !it.isNegative())
        .toList();
  }

  private static List<Duration> workTimes(List<Fact> facts) {
    return facts.stream()
        .filter(it -> it.state().isTerminal() && it.startedAt().isPresent())
        .map(Fact::worked)
        .toList();
  }

  private static List<Group> groups(
      List<Fact> facts, Function<Fact, String> key, Function<String, String> name, String filter) {
    return facts.stream().collect(Collectors.groupingBy(key)).entrySet().stream()
        .map(
            it ->
                new Group(
                    it.getKey(),
                    it.getKey().isEmpty() ? "none" : name.apply(it.getKey()),
                    it.getKey().isEmpty()
                        ? ""
                        : "/runs?"
                            + filter
                            + "="
                            + URLEncoder.encode(it.getKey(), StandardCharsets.UTF_8),
                    it.getValue().size(),
                    Optional.of(ends(it.getValue())),
                    time(it.getValue()),
                    it.getValue().stream().mapToLong(Fact::micros).sum()))
        .sorted(Comparator.comparingLong(Group::runs).reversed().thenComparing(Group::key))
        .toList();
  }

  private static Duration time(List<Fact> facts) {
    return facts.stream().map(Fact::worked).reduce(Duration.ZERO, Duration::plus);
  }

  private static Map<LocalDate, List<Fact>> byDay(List<Fact> facts, int days, Instant now) {
    var byDay = new TreeMap<LocalDate, List<Fact>>();
    var today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    for (int ago = days - 1; ago >= 0; ago--) {
      byDay.put(today.minusDays(ago), new ArrayList<>());
    }
    for (var fact : facts) {
      var day = byDay.get(LocalDate.ofInstant(fact.createdAt(), ZoneOffset.UTC));
      if (day != null) {
        day.add(fact);
      }
    }
    return byDay;
  }

  private static List<Group> dayGroups(Map<LocalDate, List<Fact>> byDay) {
    return byDay.entrySet().stream()
        .map(
            it ->
                new Group(
                    it.getKey().toString(),
                    it.getKey().toString(),
                    "",
                    it.getValue().size(),
                    Optional.of(ends(it.getValue())),
                    time(it.getValue()),
                    it.getValue().stream().mapToLong(Fact::micros).sum()))
        .sorted(Comparator.comparing(Group::key).reversed())
        .toList();
  }

  private static List<Plot> plots(Map<LocalDate, List<Fact>> byDay) {
    return List.of(
        Plot.of(
            "Runs a day",
            columns(byDay, NumbersPage::outcomes, NumbersPage::outcomeTips),
            List.of(SUCCEEDED, FAILED, OTHER),
            true,
            top -> Math.round(top) + " runs"),
        Plot.of(
            "Time to work on a run",
            columns(byDay, it -> seconds(workTimes(it)), it -> times(workTimes(it))),
            List.of(MEDIAN, P95),
            false,
            NumbersPage::secondsWords),
        Plot.of(
            "Time in the queue",
            columns(byDay, it -> seconds(queueTimes(it)), it -> times(queueTimes(it))),
            List.of(MEDIAN, P95),
            false,
            NumbersPage::secondsWords),
        Plot.of(
            "Cost a day",
            columns(byDay, it -> List.of(micros(it)), it -> List.of(Money.of((long) micros(it)))),
            List.of(new Kind("cost", "cost")),
            true,
            top -> Money.of((long) top)));
  }

  private static String secondsWords(double seconds) {
    return Times.of(Duration.ofMillis(Math.round(seconds * SECONDS)));
  }

  private static List<Column> columns(
      Map<LocalDate, List<Fact>> byDay,
      Function<List<Fact>, List<Double>> values,
      Function<List<Fact>, List<String>> tips) {
    return byDay.entrySet().stream()
        .map(it -> new Column(it.getKey(), values.apply(it.getValue()), tips.apply(it.getValue())))
        .toList();
  }

  private static List<Double> outcomes(List<Fact> facts) {
    var ends = ends(facts);
    return List.of(
        (double) ends.succeeded(),
        (double) ends.failed(),
        (double) facts.size() - ends.succeeded() - ends.failed());
  }

  private static List<String> outcomeTips(List<Fact> facts) {
    var ends = ends(facts);
    return List.of(
        ends.succeeded() + " finished",
        ends.failed() + " failed",
        facts.size() - ends.succeeded() - ends.failed() + " stopped or not ended");
  }

  private static List<Double> seconds(List<Duration> times) {
    ToDoubleFunction<Duration> seconds = it -> it.toMillis() / SECONDS;
    return Percentiles.of(times)
        .map(it -> List.of(seconds.applyAsDouble(it.median()), seconds.applyAsDouble(it.p95())))
        .orElse(List.of(0.0, 0.0));
  }

  private static List<String> times(List<Duration> times) {
    return Percentiles.of(times)
        .map(
            it ->
                List.of(
                    "half within " + Times.of(it.median()), "95 % within " + Times.of(it.p95())))
        .orElse(List.of("", ""));
  }

  private static double micros(List<Fact> facts) {
    return facts.stream().mapToLong(Fact::micros).sum();
  }

  public String cost() {
    return Money.of(micros);
  }

  public String queueMedian() {
    return queue.map(it -> Times.of(it.median())).orElse("–");
  }

  public String queueHigh() {
    return queue.map(it -> Times.of(it.p95())).orElse("–");
  }

  public String workMedian() {
    return work.map(it -> Times.of(it.median())).orElse("–");
  }

  public String workHigh() {
    return work.map(it -> Times.of(it.p95())).orElse("–");
  }

  /// The tables that have lines, in order.
  public List<Table> tables() {
    return List.of(Table.values()).stream()
        .filter(it -> it != Table.DAY && !groups.getOrDefault(it, List.of()).isEmpty())
        .toList();
  }

  public String csv(Table table) {
    return "/numbers.csv?by=%s&days=%d".formatted(table.name().toLowerCase(Locale.ROOT), days);
  }
}
