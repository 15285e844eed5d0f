package dev.runnel.app.server;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.HealthCheck.Finding;
import dev.runnel.core.text.RunTexts;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.RequestMetrics.Kind;
import java.time.Duration;
import java.time.Instant;

/// The finding of `doctor` about the deliveries of a platform: when the last one arrived, whether
/// requests are rejected, and whether two webhooks send the same events.
///
/// @param since when this process started counting
record DeliveryFindings(RequestMetrics requests, Instant since) {
  /// Fewer repeated deliveries are no finding: a platform repeats some after an outage.
  private static final long MIN_REPEATED = 5;

  /// A finding needs at least one repeated delivery in this many.
  private static final long SHARE = 3;

  /// @param name of the platform, for people
  Finding of(SurfaceId surface, String name, Instant now) {
    var seen = requests.lastSeen(surface);
    var rejected = requests.lastRejected(surface);
    var text =
        new StringBuilder(
            seen.map(at -> "the last arrived " + ago(at, now))
                .orElse("none since the start " + ago(since, now)));
    rejected.ifPresent(at -> text.append("; the last was rejected ").append(ago(at, now)));
    var isRejected =
        rejected.isPresent() && seen.filter(it -> it.isAfter(rejected.get())).isEmpty();
    if (isRejected) {
      text.append(". Check the signing secret; the log contains the reason");
    }
    var repeated = repeated(surface);
    if (repeated > 0) {
      text.append(
          ". %d arrived twice with different ids, without effect: check for a second webhook with the same events"
              .formatted(repeated));
    }
    return new Finding(name + " deliveries", !isRejected, text.toString());
  }

  /// Slack sends each mention as two events, on purpose.
  private long repeated(SurfaceId surface) {
    var counts = requests.counts();
    var known = counts.getOrDefault(new Kind(surface, "known"), 0L);
    var accepted = counts.getOrDefault(new Kind(surface, "accepted"), 0L);
    return surface.equals(SlackPlace.SURFACE) || known < MIN_REPEATED || known * SHARE < accepted
        ? 0
        : known;
  }

  private static String ago(Instant at, Instant now) {
    return RunTexts.elapsed(Duration.between(at, now)) + " ago";
  }
}
