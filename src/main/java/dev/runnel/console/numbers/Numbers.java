package dev.runnel.console.numbers;

import dev.runnel.console.numbers.NumbersPage.BudgetView;
import dev.runnel.console.numbers.NumbersPage.Table;
import dev.runnel.core.model.Binding;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.RunStatistics;
import dev.runnel.core.port.StartStatistics;
import dev.runnel.core.port.StartStatistics.By;
import dev.runnel.core.port.StartStatistics.Sum;
import dev.runnel.core.port.Store;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Reads the numbers. A page is cached for a minute, because it counts every run of the period.
/// Thread-safe.
public final class Numbers {
  private static final Duration KEPT = Duration.ofMinutes(1);
  private static final int NAMES = 1000;
  private static final int MAX_BUDGET_USERS = 5;
  private static final int LINES = 50;
  private static final String LIST = "/runs?place=";

  // Guarded by this.
  private final DailySums runs;
  private final StartStatistics starts;
  // Guarded by this.
  private final DailyStarts dailyStarts;
  private final Store store;
  private final Supplier<Policy> policy;
  private final Function<String, String> sourceName;
  private final Predicate<String> isRepository;
  private final InstantSource clock;
  // Guarded by this.
  private final Map<Integer, Kept> kept = new HashMap<>();

  private record Kept(Instant at, NumbersPage page) {}

  /// @param policy as it is now
  /// @param sourceName the name of a source for people
  /// @param isRepository whether a place is a repository or a project, and not a channel
  public Numbers(
      RunStatistics runs,
      StartStatistics starts,
      Store store,
      Supplier<Policy> policy,
      Function<String, String> sourceName,
      Predicate<String> isRepository,
      InstantSource clock) {
    this.runs = new DailySums(runs, Collections.max(NumbersPage.PERIODS));
    this.starts = starts;
    this.dailyStarts = new DailyStarts(starts, Collections.max(NumbersPage.PERIODS));
    this.store = store;
    this.policy = policy;
    this.sourceName = sourceName;
    this.isRepository = isRepository;
    this.clock = clock;
  }

  /// @param days one of [NumbersPage#PERIODS]
  public synchronized NumbersPage of(int days) {
    var now = clock.instant();
    var known = kept.get(days);
    if (known != null && now.isBefore(known.at().plus(KEPT))) {
      return known.page();
    }
    var page = read(days, now);
    kept.put(days, new Kept(now, page));
    return page;
  }

  /// Reads all days once, so that the first page after a start is fast. A page that is requested
  /// meanwhile waits.
  public synchronized void readAhead() {
    read(Collections.max(NumbersPage.PERIODS), clock.instant());
  }

  public String csv(Table table, int days) {
    return Csv.of(table.title(), of(days).groups().getOrDefault(table, List.of()));
  }

  private NumbersPage read(int days, Instant now) {
    var first = LocalDate.ofInstant(NumbersPage.start(days, now), ZoneOffset.UTC);
    var names = names();
    var places = dailyStarts.since(By.PLACE, first, now);
    Map<Table, List<Group>> people = new EnumMap<>(Table.class);
    people.put(Table.PERSON, groups(dailyStarts.since(By.PERSON, first, now).stream(), names, ""));
    people.put(
        Table.CHANNEL,
        groups(places.stream().filter(it -> !isRepository.test(it.key())), names, LIST));
    people.put(
        Table.REPOSITORY,
        groups(places.stream().filter(it -> isRepository.test(it.key())), names, LIST));
    return NumbersPage.of(
        days, runs.since(first, now), people, budgets(names, now), sourceName, now);
  }

  /// @param list the beginning of the address of a group's runs; empty if there is no such list
  private static List<Group> groups(Stream<Sum> sums, Map<String, String> names, String list) {
    return sums.limit(LINES)
        .map(
            it ->
                new Group(
                    it.key(),
                    names.getOrDefault(it.key(), it.key()),
                    list.isEmpty()
                        ? ""
                        : list + URLEncoder.encode(it.key(), StandardCharsets.UTF_8),
                    it.runs(),
                    Optional.empty(),
                    it.time(),
                    it.micros()))
        .toList();
  }

  /// The names of people who asked for runs lately, by their stable id.
  private Map<String, String> names() {
    var names = new HashMap<String, String>();
    for (var binding : store.<List<Binding>>read(it -> it.recent(Optional.empty(), "", NAMES))) {
      names.putIfAbsent(
          binding.requester().idOn(binding.conversation().surface()), binding.requester().name());
    }
    return names;
  }

  private List<BudgetView> budgets(Map<String, String> names, Instant now) {
    return policy.get().budgets().stream().flatMap(it -> views(it, names, now)).toList();
  }

  private Stream<BudgetView> views(Budget budget, Map<String, String> names, Instant now) {
    var since = now.minus(budget.period().length());
    var until = now.plus(Duration.ofDays(1));
    var sums =
        switch (budget.per()) {
          case PERSON -> starts.sums(By.PERSON, since, until).stream();
          case WATCH ->
              starts.sums(By.PERSON, since, until).stream()
                  .filter(it -> Budget.isOfWatch(it.key()));
          case CHANNEL ->
              starts.sums(By.PLACE, since, until).stream()
                  .filter(it -> !isRepository.test(it.key()));
          case REPOSITORY ->
              starts.sums(By.PLACE, since, until).stream()
                  .filter(it -> isRepository.test(it.key()));
          case ENVIRONMENT ->
              starts.sums(By.ENVIRONMENT, since, until).stream().filter(it -> !it.key().isEmpty());
          case ALL ->
              Stream.of(
                  starts.sums(By.PERSON, since, until).stream()
                      .reduce(new Sum("", 0, Duration.ZERO, 0, Duration.ZERO), Sum::plus));
        };
    return sums.limit(MAX_BUDGET_USERS)
        .map(
            it -> {
              var used = policy.get().used(it.runs(), it.time(), it.micros(), it.unpriced());
              return new BudgetView(
                  budget.name(),
                  names.getOrDefault(it.key(), it.key()),
                  budget.words(used),
                  !budget.permits(used));
            });
  }
}
