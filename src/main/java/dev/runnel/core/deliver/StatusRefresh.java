package dev.runnel.core.deliver;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.port.Surface;
import java.time.Instant;
import java.util.Optional;

/// Schedules the repetition of a status whose display the platform removes by itself. The
/// repetition is a notice with a due time, added when the status or its previous repetition is
/// posted. A final status is repeated once, so that a run does not look busy after a lost call.
final class StatusRefresh {
  private StatusRefresh() {}

  /// Schedules the repetition of a posted status.
  static void plan(Work work, Surface surface, Notice posted, Instant now) {
    var isAgain = posted.update() instanceof Update.Still;
    statusIn(posted)
        .filter(status -> !isAgain || status.run().state().isInProgress())
        .ifPresent(
            status ->
                surface
                    .limits()
                    .statusLifetime(posted.conversation())
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

  /// The status that a notice carries.
  static Optional<Update.Status> statusIn(Notice notice) {
    return switch (notice.update()) {
      case Update.Status status -> Optional.of(status);
      case Update.Still(Update.Status status) -> Optional.of(status);
      case Update.OfRun _, Update.Reply _, Update.Received _ -> Optional.empty();
    };
  }

  /// Whether the notice repeats an outdated status.
  static boolean isObsolete(Work work, Notice notice) {
    return notice.update() instanceof Update.Still(Update.Status status)
        && work.bindings()
            .of(status.run().id())
            .filter(binding -> binding.conversation().equals(notice.conversation()))
            .filter(binding -> !binding.reopened())
            .filter(binding -> binding.run().stateName().equals(status.run().stateName()))
            .isEmpty();
  }
}
