package dev.runnel.metrics;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.web.RequestMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import okhttp3.Interceptor;
import org.jspecify.annotations.Nullable;

/// All metrics of Runnel, for [#scrape]. Thread-safe.
///
/// Nothing here is on the path of a delivery: its counts are read at a scrape. Labels have few
/// values: conversations, runs, people and URLs are not labels.
public final class Metrics implements AutoCloseable {
  private static final Map<String, String> QUEUES =
      Map.of("inbox", "deliveries", "outbox", "posts");

  private final List<Consumer<MeterRegistry>> measured = new ArrayList<>();
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private Runnable beforeScrape = () -> {};
  private volatile @Nullable PrometheusMeterRegistry opened;

  /// Measures the JVM and the process.
  ///
  /// @param version of Runnel
  /// @param data the folder whose disk is measured
  public Metrics(String version, Path data) {
    gauge(
        "runnel.build", "The running version, as a label; always 1.", () -> 1, "version", version);
    var disk = data.toFile();
    gauge(
        "runnel.disk.free.bytes",
        "Free space on the disk of the data folder.",
        disk::getUsableSpace);
    gauge("runnel.disk.total.bytes", "Size of the disk of the data folder.", disk::getTotalSpace);
    // Before the first warning, so that its increase is seen.
    measure(registry -> RunMetrics.budgetWarnings(registry).increment(0));
    measure(
        registry ->
            List.of(
                    new ClassLoaderMetrics(),
                    new JvmMemoryMetrics(),
                    collections,
                    new JvmThreadMetrics(),
                    new ProcessorMetrics(),
                    new UptimeMetrics(),
                    new FileDescriptorMetrics())
                .forEach(binder -> binder.bindTo(registry)));
  }

  /// The registry, opened at its first use, because that takes longer than the rest of the start.
  private MeterRegistry registry() {
    var now = opened;
    return now == null ? open() : now;
  }

  private synchronized PrometheusMeterRegistry open() {
    var now = opened;
    if (now == null) {
      var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
      measured.forEach(each -> each.accept(registry));
      opened = registry;
      now = registry;
    }
    return now;
  }

  private synchronized void measure(Consumer<MeterRegistry> more) {
    var now = opened;
    if (now == null) {
      measured.add(more);
    } else {
      more.accept(now);
    }
  }

  /// The current values, in Prometheus' text format.
  public String scrape() {
    var registry = open();
    synchronized (this) {
      beforeScrape.run();
    }
    return registry.scrape();
  }

  @Override
  public void close() {
    var now = opened;
    if (now != null) {
      now.close();
      collections.close();
    }
  }

  private void gauge(String name, String help, Supplier<Number> value, String... tags) {
    measure(registry -> Gauge.builder(name, value).description(help).tags(tags).register(registry));
  }

  /// Measures deliveries by their counts.
  public void deliveries(RequestMetrics requestMetrics) {
    counter(
        "runnel.deliveries.not.stored",
        "Deliveries that were answered with 503 because they could not be stored.",
        Tags.empty(),
        requestMetrics,
        all -> sum(all.counts(), "not_stored"));
    var known = ConcurrentHashMap.<RequestMetrics.Kind>newKeySet();
    before(
        () ->
            requestMetrics.counts().keySet().stream()
                .filter(known::add)
                .forEach(kind -> deliveries(requestMetrics, kind)));
  }

  private void deliveries(RequestMetrics requestMetrics, RequestMetrics.Kind kind) {
    var tags = Tags.of("surface", kind.surface().value(), "result", kind.result());
    ToDoubleFunction<RequestMetrics> count = all -> all.counts().getOrDefault(kind, 0L);
    counter(
        "runnel.deliveries",
        "Requests of platforms, by surface and result.",
        tags,
        requestMetrics,
        count);
    counter(
        "runnel.receptions",
        "The former name of runnel_deliveries_total.",
        tags,
        requestMetrics,
        count);
  }

  private static long sum(Map<RequestMetrics.Kind, Long> counts, String result) {
    return counts.entrySet().stream()
        .filter(each -> each.getKey().result().equals(result))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private <T> void counter(
      String name, String help, Tags tags, T source, ToDoubleFunction<T> value) {
    measure(
        registry ->
            FunctionCounter.builder(name, source, value)
                .description(help)
                .tags(tags)
                .register(registry));
  }

  /// Measures the queues. Their gauges are read once per scrape, and are `NaN` while the database
  /// cannot be read.
  ///
  /// @param gauges the store's gauges, by their Prometheus names
  public void queues(Supplier<Map<String, Long>> gauges) {
    var read = new Reading(gauges);
    before(read);
    QUEUES.forEach(
        (queue, rows) -> {
          var name = "runnel." + queue;
          var prefix = "runnel_" + queue;
          read(name + ".waiting", "Waiting " + rows + ".", read, prefix + "_waiting");
          read(
              name + ".parked",
              "Parked %s, which the console lists.".formatted(rows),
              read,
              prefix + "_parked");
          read(
              name + ".oldest.age.seconds",
              "Age of the oldest of the waiting %s.".formatted(rows),
              read,
              prefix + "_oldest_seconds");
          read(
              name + ".oldest.seconds",
              "The former name of %s_oldest_age_seconds.".formatted(prefix),
              read,
              prefix + "_oldest_seconds");
        });
    read("runnel.runs.active", "Unfinished runs of conversations.", read, "runnel_runs_active");
    read(
        "runnel.store.up",
        "Whether the database responds and accepts changes.",
        read,
        "runnel_store_up");
  }

  /// Measures which surfaces are on hold. Their gauges are `NaN` while the database cannot be read.
  ///
  /// @param surfaces those that are turned on
  /// @param held those on hold, on all nodes
  public void holds(Set<SurfaceId> surfaces, Supplier<Set<SurfaceId>> held) {
    var read =
        new Reading(
            () -> {
              var now = held.get();
              return surfaces.stream()
                  .collect(Collectors.toMap(SurfaceId::value, id -> now.contains(id) ? 1L : 0L));
            });
    before(read);
    for (var surface : surfaces) {
      gauge(
          "runnel.surface.held",
          "Whether the platform does not accept our credential, so that its work waits.",
          () -> read.of(surface.value()),
          "surface",
          surface.value());
    }
  }

  private void read(String name, String help, Reading read, String key) {
    gauge(name, help, () -> read.of(key));
  }

  /// The gauges of the last scrape.
  private static final class Reading implements Runnable {
    private final Supplier<Map<String, Long>> gauges;
    private volatile Map<String, Long> last = Map.of();

    Reading(Supplier<Map<String, Long>> gauges) {
      this.gauges = gauges;
    }

    @Override
    public void run() {
      try {
        last = gauges.get();
      } catch (DatabaseException gone) {
        last = Map.of();
      }
    }

    double of(String key) {
      var value = last.get(key);
      return value == null ? Double.NaN : value;
    }
  }

  private synchronized void before(Runnable more) {
    var first = beforeScrape;
    beforeScrape =
        () -> {
          first.run();
          more.run();
        };
  }

  /// Wraps the run service to measure the calls to it.
  public AgentRuns runs(AgentRuns runs) {
    return new MeteredRuns(runs, this::registry);
  }

  /// Measures the runs of conversations.
  public RunChangeListener runChanges() {
    return new RunMetrics(this::registry);
  }

  /// Measures the calls to a platform.
  public Interceptor callsTo(SurfaceId surface) {
    return new MeteredCalls(surface, this::registry);
  }

  /// Measures whether deliveries can arrive over a connection that Runnel opens.
  ///
  /// @param problem empty while it is up
  public void connection(SurfaceId surface, Supplier<Optional<String>> problem) {
    gauge(
        "runnel.connection.up",
        "Whether deliveries can arrive: 0 while the socket is down.",
        () -> problem.get().isEmpty() ? 1 : 0,
        "surface",
        surface.value());
  }

  /// Measures the shares of memory.
  public void memory(MemoryBudget budget) {
    for (var kind : MemoryBudget.Kind.values()) {
      var share = budget.share(kind);
      var name = kind.name().toLowerCase(Locale.ROOT);
      gauge(
          "runnel.memory.share.size.bytes",
          "What may wait in memory on behalf of others, by share.",
          share::size,
          "share",
          name);
      gauge(
          "runnel.memory.share.used.bytes",
          "What waits in memory on behalf of others now, by share.",
          share::taken,
          "share",
          name);
      counter(
          "runnel.memory.share.refusals",
          "How often a share of memory was spent, so that somebody had to wait or was refused.",
          Tags.of("share", name),
          share,
          Share::refusals);
    }
  }

  /// Measures the pools of connections to a database.
  public void connections(String name, Database database) {
    for (var pool : database.connections().keySet()) {
      connections(name, pool, "active", database, Database.Connections::active);
      connections(name, pool, "idle", database, Database.Connections::idle);
      connections(name, pool, "waited_for", database, Database.Connections::waiting);
    }
  }

  private void connections(
      String name,
      String pool,
      String state,
      Database database,
      ToDoubleFunction<Database.Connections> number) {
    gauge(
        "runnel.database.connections",
        "Connections to a database, by pool: active, idle, and how many threads wait for one.",
        () ->
            Optional.ofNullable(database.connections().get(pool))
                .map(number::applyAsDouble)
                .orElse(Double.NaN),
        "database",
        name,
        "pool",
        pool,
        "state",
        state);
  }

  /// Measures the embedded run service.
  public void service(AgentRunService service) {
    service.listen(new ExecutionMetrics(this::registry));
    gauge(
        "runnel.agent.slots",
        "Maximum number of executions at once, at each depth.",
        service::slots);
    gauge("runnel.executions.working", "Executions that are working now.", service::working);
    var unfinished = new Reading(() -> names(service.unfinished()));
    before(unfinished);
    for (var state :
        List.of(ExecutionState.QUEUED, ExecutionState.INPROGRESS, ExecutionState.BLOCKED)) {
      gauge(
          "runnel.service.runs",
          "Unfinished runs of the embedded service, by state: blocked ones wait for a person.",
          () -> unfinished.of(state.name()),
          "state",
          state.name().toLowerCase(Locale.ROOT));
    }
  }

  private static Map<String, Long> names(Map<ExecutionState, Long> numbers) {
    return numbers.entrySet().stream()
        .collect(Collectors.toMap(each -> each.getKey().name(), Map.Entry::getValue));
  }
}
