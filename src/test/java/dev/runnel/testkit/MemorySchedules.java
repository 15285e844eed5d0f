package dev.runnel.testkit;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Store;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Schedules, in memory.
final class MemorySchedules implements Store.Schedules {
  private final Map<String, Schedule> schedules = new LinkedHashMap<>();

  MemorySchedules copy() {
    var copy = new MemorySchedules();
    copy.schedules.putAll(schedules);
    return copy;
  }

  @Override
  public void add(Schedule schedule) {
    if (schedules.putIfAbsent(schedule.id(), schedule) != null) {
      throw new IllegalStateException("Known: " + schedule.id());
    }
  }

  @Override
  public List<Schedule> of(SurfaceId surface) {
    return schedules.values().stream()
        .filter(each -> each.template().conversation().surface().equals(surface))
        .sorted(Comparator.comparing((Schedule each) -> each.template().arrivedAt()))
        .toList();
  }

  @Override
  public Optional<Schedule> due(Instant now) {
    return schedules.values().stream()
        .filter(each -> each.next().filter(at -> !at.isAfter(now)).isPresent())
        .min(Comparator.comparing(each -> each.next().orElseThrow()));
  }

  @Override
  public boolean advance(String id, Instant planned, Optional<Instant> next) {
    var known = schedules.get(id);
    if (known == null || !known.next().equals(Optional.of(planned))) {
      return false;
    }
    if (next.isPresent()) {
      setNext(id, next);
    } else {
      remove(id);
    }
    return true;
  }

  @Override
  public void setNext(String id, Optional<Instant> next) {
    schedules.computeIfPresent(
        id, (_, it) -> new Schedule(id, it.template(), it.timing(), it.zone(), next));
  }

  @Override
  public void remove(String id) {
    schedules.remove(id);
  }
}
