package dev.runnel.testkit;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The starts of a [MemoryStore], whose transactions are serial.
final class MemoryStarts implements Store.Starts {
  private record Used(Duration time, long micros) {}

  private final Map<DeliveryId, Start> starts;
  private final Map<DeliveryId, Used> used;
  private Optional<Freeze> freeze;

  MemoryStarts() {
    this(Map.of(), Map.of(), Optional.empty());
  }

  private MemoryStarts(
      Map<DeliveryId, Start> starts, Map<DeliveryId, Used> used, Optional<Freeze> freeze) {
    this.starts = new LinkedHashMap<>(starts);
    this.used = new LinkedHashMap<>(used);
    this.freeze = freeze;
  }

  MemoryStarts copy() {
    return new MemoryStarts(starts, used, freeze);
  }

  @Override
  public void lock() {}

  @Override
  public void add(Start start) {
    starts.putIfAbsent(start.delivery(), start);
  }

  @Override
  public Optional<Start> find(DeliveryId delivery) {
    return Optional.ofNullable(starts.get(delivery));
  }

  @Override
  public void saveUsage(DeliveryId delivery, String run, Duration time, long micros) {
    if (starts.containsKey(delivery)) {
      used.put(delivery, new Used(time, micros));
    }
  }

  @Override
  public void remove(DeliveryId delivery) {
    if (!used.containsKey(delivery)) {
      starts.remove(delivery);
    }
  }

  @Override
  public boolean isFirst(String person) {
    return starts.values().stream().noneMatch(it -> it.person().equals(person));
  }

  @Override
  public Sum sum(
      Optional<String> person,
      Optional<String> place,
      Optional<String> environment,
      Instant since) {
    var found =
        starts.values().stream()
            .filter(it -> it.at().isAfter(since))
            .filter(it -> person.isEmpty() || person.get().equals(it.person()))
            .filter(it -> place.isEmpty() || place.get().equals(it.place()))
            .filter(it -> environment.isEmpty() || environment.get().equals(it.environment()))
            .toList();
    var uses = found.stream().flatMap(it -> Optional.ofNullable(used.get(it.delivery())).stream());
    var total =
        uses.reduce(
            new Used(Duration.ZERO, 0),
            (a, b) -> new Used(a.time().plus(b.time()), a.micros() + b.micros()));
    return new Sum(
        found.size(),
        total.time(),
        total.micros(),
        found.stream()
            .flatMap(it -> Optional.ofNullable(used.get(it.delivery())).stream())
            .filter(it -> it.micros() == 0)
            .map(Used::time)
            .reduce(Duration.ZERO, Duration::plus),
        found.stream().map(Start::at).min(Instant::compareTo));
  }

  void saveUsage(Run run) {
    run.delivery()
        .ifPresent(
            it ->
                saveUsage(
                    it, run.id().value(), run.runTime().orElse(Duration.ZERO), run.costMicros()));
  }

  @Override
  public Optional<Freeze> freeze() {
    return freeze;
  }

  @Override
  public void freeze(Freeze now) {
    freeze = Optional.of(now);
  }

  @Override
  public boolean unfreeze() {
    var was = freeze.isPresent();
    freeze = Optional.empty();
    return was;
  }

  /// In words that are the same for the same starts.
  @Override
  public String toString() {
    return starts + " " + used + " " + freeze;
  }
}
