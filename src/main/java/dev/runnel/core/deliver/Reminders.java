package dev.runnel.core.deliver;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.RunState;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Store.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// When a person is reminded of a question that a run waits with. Each reminder is a notice with a
/// time of its own, added when the question, or the reminder before, is posted.
///
/// @param after how long after the question; in their order
public record Reminders(List<Duration> after) {
  public static final Reminders NONE = new Reminders(List.of());

  public static final Reminders USUAL =
      new Reminders(List.of(Duration.ofMinutes(30), Duration.ofHours(4), Duration.ofHours(24)));

  public Reminders {
    after = List.copyOf(after);
    for (int i = 0; i < after.size(); i++) {
      if (!after.get(i).isPositive() || (i > 0 && after.get(i).compareTo(after.get(i - 1)) <= 0)) {
        throw new IllegalArgumentException("Reminders come one after the other");
      }
    }
  }

  /// Plans what follows a notice that was posted, if it is a question or a reminder of one.
  void plan(Work work, Notice posted, Instant now) {
    switch (posted.update()) {
      case Update.Blocked(var run, var requester, var question) ->
          plan(work, posted, new Update.Reminder(run, requester, question, 1, now, now));
      case Update.Reminder(var run, var requester, var question, var number, var asked, _) ->
          plan(
              work,
              posted,
              new Update.Reminder(run, requester, question, number + 1, asked, asked));
      case Update.Status _,
          Update.Still _,
          Update.Succeeded _,
          Update.Failed _,
          Update.Cancelled _,
          Update.Told _,
          Update.Listed _,
          Update.Answered _,
          Update.Screened _,
          Update.Helped _,
          Update.Received _ -> {}
    }
  }

  private void plan(Work work, Notice about, Update.Reminder next) {
    if (next.number() > after.size()) {
      return;
    }
    var due = next.asked().plus(after.get(next.number() - 1));
    work.outbox()
        .addAt(
            due,
            new Notice(
                NoticeId.random(),
                about.conversation(),
                new Update.Reminder(
                    next.run(),
                    next.requester(),
                    next.question(),
                    next.number(),
                    next.asked(),
                    due),
                about.origin(),
                due,
                0));
  }

  /// Whether a notice reminds of a question that nobody waits with any more.
  static boolean isMoot(Work work, Notice notice) {
    return notice.update() instanceof Update.Reminder reminder
        && work.bindings()
            .of(notice.conversation())
            // Asked on its pull request.
            .or(() -> work.bindings().of(reminder.run().id()))
            .filter(binding -> binding.run().id().equals(reminder.run().id()))
            .filter(binding -> !binding.reopened())
            .filter(binding -> binding.run().state() == RunState.BLOCKED)
            .filter(binding -> binding.run().message().equals(reminder.run().message()))
            .isEmpty();
  }
}
