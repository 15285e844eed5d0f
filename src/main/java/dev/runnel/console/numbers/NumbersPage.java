package dev.runnel.console.numbers;

import dev.runnel.console.numbers.Group.Ends;
import dev.runnel.console.numbers.Plot.Column;
import dev.runnel.console.numbers.Plot.Kind;
import dev.runnel.core.model.run.RunState;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/// The numbers of a period, ready to be shown. Days are in UTC.
///
/// Public because the templates are in another package.
///
/// @param days the length of the period, today included
/// @param knowsRuns whether the run service provides statistics
/// @param queue how long runs waited for a slot; empty if none started
/// @param work how long agents worked on runs that ended; empty if none ended
/// @param groups the tables, by their grouping
/// @param budgets the used and the remaining part of each budget
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
  /// The grouping of a table.
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

  /// The use of a budget.
  ///
  /// @param whose the person or the place; empty for everybody
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

  /// @param byDay empty if the run service does not provide it
  /// @param people the tables that the conversations give: by person, channel and repository
  /// @param sourceName the name of a source for people
  static NumbersPage of(
      int days,
      Optional<SortedMap<LocalDate, RunSums>> byDay,
      Map<Table, List<Group>> people,
      List<BudgetView> budgets,
      Function<String, String> sourceName,
      Instant now) {
    var known = byDay.orElseGet(() -> noRuns(days, now));
    var all = RunSums.merged(List.copyOf(known.values()));
    var groups = new EnumMap<Table, List<Group>>(Table.class);
    groups.putAll(people);
    if (byDay.isPresent()) {
      groups.put(Table.ENVIRONMENT, groups(all.environments(), name -> name, "environment"));
      groups.put(Table.MODEL, groups(all.models(), name -> name, "model"));
      groups.put(Table.SOURCE, groups(all.sources(), sourceName, "source"));
    }
    groups.put(Table.DAY, dayGroups(known));
    return new NumbersPage(
        days,
        byDay.isPresent(),
        all.all().ends(),
        all.all().runs(),
        all.count(RunState.RUNNING),
        all.count(RunState.QUEUED),
        all.count(RunState.BLOCKED),
        all.queue().percentiles(),
        all.work().percentiles(),
        all.all().micros(),
        plots(known),
        groups,
        budgets);
  }

  private static SortedMap<LocalDate, RunSums> noRuns(int days, Instant now) {
    var byDay = new TreeMap<LocalDate, RunSums>();
    var today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    for (int ago = days - 1; ago >= 0; ago--) {
      byDay.put(today.minusDays(ago), RunSums.of(List.of()));
    }
    return byDay;
  }

  private static List<Group> groups(
      Map<String, RunSums.Sum> sums, Function<String, String> name, String filter) {
    return sums.entrySet().stream()
        .map(
            it ->
                group(
                    it.getKey(),
                    it.getKey().isEmpty() ? "none" : name.apply(it.getKey()),
                    it.getKey().isEmpty()
                        ? ""
                        : "/runs?"
                            + filter
                            + "="
                            + URLEncoder.encode(it.getKey(), StandardCharsets.UTF_8),
                    it.getValue()))
        .sorted(Comparator.comparingLong(Group::runs).reversed().thenComparing(Group::key))
        .toList();
  }

  private static Group group(String key, String name, String link, RunSums.Sum sum) {
    return new Group(
        key, name, link, sum.runs(), Optional.of(sum.ends()), sum.time(), sum.micros());
  }

  private static List<Group> dayGroups(Map<LocalDate, RunSums> byDay) {
    return byDay.entrySet().stream()
        .map(it -> group(it.getKey().toString(), it.getKey().toString(), "", it.getValue().all()))
        .sorted(Comparator.comparing(Group::key).reversed())
        .toList();
  }

  private static List<Plot> plots(Map<LocalDate, RunSums> byDay) {
    return List.of(
        Plot.of(
            "Runs per day",
            columns(byDay, NumbersPage::outcomes, NumbersPage::outcomeTips),
            List.of(SUCCEEDED, FAILED, OTHER),
            true,
            top -> Math.round(top) + " runs"),
        Plot.of(
            "Working time of a run",
            columns(byDay, it -> seconds(it.work()), it -> times(it.work())),
            List.of(MEDIAN, P95),
            false,
            NumbersPage::secondsWords),
        Plot.of(
            "Time in the queue",
            columns(byDay, it -> seconds(it.queue()), it -> times(it.queue())),
            List.of(MEDIAN, P95),
            false,
            NumbersPage::secondsWords),
        Plot.of(
            "Cost per day",
            columns(
                byDay,
                it -> List.of((double) it.all().micros()),
                it -> List.of(Money.of(it.all().micros()))),
            List.of(new Kind("cost", "cost")),
            true,
            top -> Money.of((long) top)));
  }

  private static String secondsWords(double seconds) {
    return Times.of(Duration.ofMillis(Math.round(seconds * SECONDS)));
  }

  private static List<Column> columns(
      Map<LocalDate, RunSums> byDay,
      Function<RunSums, List<Double>> values,
      Function<RunSums, List<String>> tips) {
    return byDay.entrySet().stream()
        .map(it -> new Column(it.getKey(), values.apply(it.getValue()), tips.apply(it.getValue())))
        .toList();
  }

  private static List<Double> outcomes(RunSums day) {
    var ends = day.all().ends();
    return List.of((double) ends.succeeded(), (double) ends.failed(), (double) others(day));
  }

  private static List<String> outcomeTips(RunSums day) {
    var ends = day.all().ends();
    return List.of(
        ends.succeeded() + " finished",
        ends.failed() + " failed",
        others(day) + " stopped or not ended");
  }

  private static long others(RunSums day) {
    return day.all().runs() - day.all().ends().succeeded() - day.all().ends().failed();
  }

  private static List<Double> seconds(TimeSpans times) {
    ToDoubleFunction<Duration> seconds = it -> it.toMillis() / SECONDS;
    return times
        .percentiles()
        .map(it -> List.of(seconds.applyAsDouble(it.median()), seconds.applyAsDouble(it.p95())))
        .orElse(List.of(0.0, 0.0));
  }

  private static List<String> times(TimeSpans times) {
    return times
        .percentiles()
        .map(
            it ->
                List.of(
                    "half within " + Times.of(it.median()), "95 % within " + Times.of(it.p95())))
        .orElse(List.of("", ""));
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
