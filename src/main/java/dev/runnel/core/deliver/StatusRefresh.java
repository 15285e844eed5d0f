package dev.runnel.core.deliver;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.NoticeId;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.port.Surface;
import java.time.Instant;
import java.util.Optional;

/// When a status is told once more, where what shows it fades by itself. That is a notice with a
/// time of its own, added when the status, or its repetition before, is posted. An end is repeated
/// once, so that nothing goes on looking busy because one call was lost.
final class StatusRefresh {
  private StatusRefresh() {}

  /// Plans what follows a notice that was posted, if it is a status.
  static void plan(Work work, Surface surface, Notice posted, Instant now) {
    var isAgain = posted.update() instanceof Update.Still;
    statusIn(posted)
        .filter(status -> !isAgain || isWorking(status))
        .ifPresent(
            status ->
                surface
                    .fading(posted.conversation())
                    .ifPresent(
                        after ->
                            work.outbox()
                                .addAt(
                                    now.plus(after),
                                    new Notice(
                                        NoticeId.random(),
                                        posted.conversation(),
                                        new Update.Still(at(status, now.plus(after))),
                                        posted.origin(),
                                        now.plus(after),
                                        0))));
  }

  private static Update.Status at(Update.Status status, Instant at) {
    return new Update.Status(
        status.run(), status.requester(), status.request(), status.since(), at, status.stop());
  }

  private static boolean isWorking(Update.Status status) {
    var state = status.run().state();
    return !state.isTerminal() && !state.needsPerson();
  }

  /// The status that a notice carries.
  static Optional<Update.Status> statusIn(Notice notice) {
    return switch (notice.update()) {
      case Update.Status status -> Optional.of(status);
      case Update.Still(Update.Status status) -> Optional.of(status);
      case Update.Blocked _,
          Update.Succeeded _,
          Update.Failed _,
          Update.Cancelled _,
          Update.Reminder _,
          Update.Told _,
          Update.Listed _,
          Update.Answered _,
          Update.Helped _,
          Update.Screened _,
          Update.Received _ ->
          Optional.empty();
    };
  }

  /// Whether a notice repeats what is not so any more.
  static boolean isMoot(Work work, Notice notice) {
    return notice.update() instanceof Update.Still(Update.Status status)
        && work.bindings()
            .of(status.run().id())
            .filter(binding -> binding.conversation().equals(notice.conversation()))
            .filter(binding -> !binding.reopened())
            .filter(binding -> binding.run().stateName().equals(status.run().stateName()))
            .isEmpty();
  }
}
