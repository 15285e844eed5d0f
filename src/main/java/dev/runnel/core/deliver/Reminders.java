package dev.runnel.core.deliver;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Store.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Schedules reminders of a question that a run waits for. Each reminder is a notice with a due
/// time, added when the question or the previous reminder is posted.
///
/// @param after delays after the question, ascending
public record Reminders(List<Duration> after) {
  public static final Reminders NONE = new Reminders(List.of());

  public static final Reminders DEFAULT =
      new Reminders(List.of(Duration.ofMinutes(30), Duration.ofHours(4), Duration.ofHours(24)));

  public Reminders {
    after = List.copyOf(after);
    for (int i = 0; i < after.size(); i++) {
      if (!after.get(i).isPositive() || (i > 0 && after.get(i).compareTo(after.get(i - 1)) <= 0)) {
        throw new IllegalArgumentException(
            "The delays of reminders must be positive and ascending");
      }
    }
  }

  /// Schedules the reminder that follows a posted question or reminder.
  void plan(Work work, Notice posted, Instant now) {
    switch (posted.update()) {
      case Update.Blocked(var run, var requester, var question) ->
          plan(work, posted, new Update.Reminder(run, requester, question, 1, now, now));
      case Update.Reminder(var run, var requester, var question, var number, var asked, _) ->
          plan(
              work,
              posted,
              new Update.Reminder(run, requester, question, number + 1, asked, asked));
      case Update.OfRun _, Update.Still _, Update.Reply _, Update.Received _ -> {}
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

  /// Whether the notice is a reminder of a question that was answered or replaced.
  static boolean isObsolete(Work work, Notice notice) {
    return notice.update() instanceof Update.Reminder reminder
        && work.bindings()
            .of(notice.conversation())
            // The question may have been asked on the run's pull request.
            .or(() -> work.bindings().of(reminder.run().id()))
            .filter(binding -> binding.run().id().equals(reminder.run().id()))
            .filter(binding -> !binding.reopened())
            .filter(binding -> binding.run().state() == RunState.BLOCKED)
            .filter(binding -> binding.run().message().equals(reminder.run().message()))
            .isEmpty();
  }
}
