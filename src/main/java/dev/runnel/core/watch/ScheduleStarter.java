package dev.runnel.core.watch;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Schedules.Schedule;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates deliveries for due schedules. They are processed like any message: the permission, the
/// budgets and the approvals of the schedule's author are checked each time. If several occurrences
/// passed while no node was running, they become one delivery.
public record ScheduleStarter(Store store) {
  private static final Logger log = LoggerFactory.getLogger(ScheduleStarter.class);

  /// Each occurrence becomes one delivery, on however many nodes this is called.
  public void step(Instant now) {
    var isDone = false;
    while (!isDone) {
      isDone = store.commit(work -> !takeOne(work, now));
    }
  }

  /// @return whether one was due
  private static boolean takeOne(Work work, Instant now) {
    var due = work.schedules().due(now);
    due.ifPresent(schedule -> take(work, schedule, now));
    return due.isPresent();
  }

  private static void take(Work work, Schedule schedule, Instant now) {
    var planned = schedule.next().orElseThrow();
    var next = schedule.timing().next(planned, now, schedule.zone());
    if (work.schedules().advance(schedule.id(), planned, next)) {
      var delivery = at(planned, schedule.template(), now);
      work.inbox().offer(delivery);
      log.info("schedule due schedule={} delivery={}", schedule.id(), delivery.id());
    }
  }

  private static Delivery at(Instant planned, Delivery template, Instant now) {
    var suffix = ":at:" + planned.getEpochSecond();
    return template
        .withId(new DeliveryId(template.id() + suffix))
        .withMeaning(template.meaning() + suffix)
        .withArrivedAt(now);
  }
}
