package dev.runnel.testkit;

import dev.runnel.core.port.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/// The limits of a [MemoryStore].
final class MemoryLimits implements Store.Limits {
  private record Limit(Instant heldUntil, Instant nextTurn) {}

  private record Turn(String limit, String holder) {}

  private final Map<String, Limit> limits;
  private final Map<Turn, Instant> turns;

  MemoryLimits() {
    this(new HashMap<>(), new HashMap<>());
  }

  private MemoryLimits(Map<String, Limit> limits, Map<Turn, Instant> turns) {
    this.limits = limits;
    this.turns = turns;
  }

  MemoryLimits copy() {
    return new MemoryLimits(new HashMap<>(limits), new HashMap<>(turns));
  }

  @Override
  public Instant reserve(String limit, String holder, Instant now) {
    var found = limits.get(limit);
    if (found == null) {
      return now;
    }
    var turn = new Turn(limit, holder);
    var kept = turns.get(turn);
    if (kept != null && !kept.isBefore(found.heldUntil())) {
      if (kept.isAfter(now)) {
        return kept;
      }
      turns.remove(turn);
      return now;
    }
    if (!found.nextTurn().plus(Duration.ofMinutes(1)).isAfter(now)) {
      limits.remove(limit);
      turns.keySet().removeIf(each -> each.limit().equals(limit));
      return now;
    }
    var at = later(found.nextTurn(), now);
    limits.put(limit, new Limit(found.heldUntil(), at.plusSeconds(1)));
    if (at.isAfter(now)) {
      turns.put(turn, at);
    }
    return at;
  }

  @Override
  public void hold(String limit, Instant until) {
    limits.merge(
        limit,
        new Limit(until, until),
        (old, held) ->
            new Limit(
                later(old.heldUntil(), held.heldUntil()), later(old.nextTurn(), held.nextTurn())));
  }

  @Override
  public Map<String, Instant> paused(Instant now) {
    return limits.entrySet().stream()
        .filter(each -> each.getValue().heldUntil().isAfter(now))
        .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().heldUntil()));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /// In words that are the same for the same limits.
  @Override
  public String toString() {
    return limits + " " + turns;
  }
}
