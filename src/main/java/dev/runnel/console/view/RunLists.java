package dev.runnel.console.view;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.core.port.RunCatalog.Result;
import dev.runnel.core.port.Store;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Reads lists of runs. Open pages with the same filters share a list that was just read, so that
/// 100 of them cost as much as one. Thread-safe.
public final class RunLists {
  static final int ROWS = 50;
  private static final Duration MOMENT = Duration.ofSeconds(1);
  private static final int MAX_KEPT = 32;

  private final RunCatalog catalog;
  private final Store store;
  private final List<String> surfaces;
  private final InstantSource clock;
  // Guarded by this; the least recently read first.
  private final Map<RunListQuery, Read> kept = new LinkedHashMap<>(16, 0.75f, true);

  private record Read(Instant at, RunList list) {}

  /// A page of the list.
  ///
  /// @param waiting runs that wait for a person, which the first page shows on top
  /// @param problem why the list could not be read; empty if it could
  public record RunList(
      List<Row> waiting, List<Row> rows, Optional<String> next, Optional<String> problem) {
    public List<Row> all() {
      var all = new ArrayList<>(waiting);
      all.addAll(rows);
      return all;
    }
  }

  /// A run and what Runnel knows about it.
  public record Row(RunCatalog.Entry entry, Optional<Binding> binding) {
    public RunRowView view(Instant now) {
      return new RunRowView(entry, binding, now);
    }
  }

  /// @param surfaces the ids of platforms
  public RunLists(RunCatalog catalog, Store store, List<String> surfaces, InstantSource clock) {
    this.surfaces = List.copyOf(surfaces);
    this.catalog = catalog;
    this.store = store;
    this.clock = clock;
  }

  public synchronized RunList read(RunListQuery query) {
    var now = clock.instant();
    var known = kept.get(query);
    if (known != null && now.isBefore(known.at().plus(MOMENT))) {
      return known.list();
    }
    var list = readNow(query);
    kept.put(query, new Read(now, list));
    if (kept.size() > MAX_KEPT) {
      kept.remove(kept.keySet().iterator().next());
    }
    return list;
  }

  private RunList readNow(RunListQuery query) {
    var result = catalog.find(query.query(surfaces, ROWS));
    if (!(result instanceof Result.Listed(var entries, var next))) {
      return new RunList(
          List.of(), List.of(), Optional.empty(), Optional.of(((Result.Unavailable) result).why()));
    }
    List<RunCatalog.Entry> waiting =
        query.isFirstPage()
                && query.state().isEmpty()
                && catalog.find(query.in(RunState.BLOCKED).query(surfaces, ROWS))
                    instanceof Result.Listed(var blocked, _)
            ? blocked
            : List.of();
    Set<String> onTop = new HashSet<>();
    waiting.forEach(it -> onTop.add(it.run().id().value()));
    return store.read(
        bindings ->
            new RunList(
                waiting.stream().map(it -> row(it, bindings)).toList(),
                entries.stream()
                    .filter(it -> !onTop.contains(it.run().id().value()))
                    .map(it -> row(it, bindings))
                    .toList(),
                next,
                Optional.empty()));
  }

  private static Row row(RunCatalog.Entry entry, Store.Bindings bindings) {
    // The run service knows who started a run of the API, and when.
    return new Row(entry, bindings.of(entry.run().id()).filter(it -> it.place().isPresent()));
  }
}
