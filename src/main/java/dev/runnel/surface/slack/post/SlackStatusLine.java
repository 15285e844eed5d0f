package dev.runnel.surface.slack.post;

import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.slack.api.SlackAgentApi;
import dev.runnel.surface.slack.api.SlackAgentApi.Session;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.render.Mrkdwn;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets what Slack itself shows below a direct thread while its run works: a session with a stop
/// button; if the app is not an agent, a status line; if neither is available, nothing. The first
/// call in a workspace determines which of them is available.
///
/// @implSpec Thread-safe. All of this is optional: a failed call is not retried before the next
///   update is due.
final class SlackStatusLine {
  private static final Logger log = LoggerFactory.getLogger(SlackStatusLine.class);

  /// Slack clears a status line after two minutes.
  private static final Duration LINE_LIFETIME = Duration.ofSeconds(90);

  /// Slack keeps a session busy for about an hour; this renews it earlier, in case a call was lost.
  private static final Duration SESSION_LIFETIME = Duration.ofMinutes(4);

  private static final int MAX_LINE = 100;
  private static final int MAX_TITLE = 190;

  /// What is available in a workspace.
  enum Kind {
    /// Not yet known.
    UNKNOWN,
    /// A session with Slack's stop button.
    STOPPABLE,
    /// A session without the button: the app does not subscribe to its event.
    SESSION,
    LINE,
    NONE;

    private boolean mayBeSession() {
      return this == UNKNOWN || this == STOPPABLE || this == SESSION;
    }
  }

  /// The same status is not repeated within this time, because a run may report its status every
  /// second.
  private static final Duration MIN_REPEAT = Duration.ofSeconds(30);

  private static final int MAX_REMEMBERED = 10_000;

  private record Shown(String what, Instant at) {}

  private final InstantSource clock;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();
  private final Map<String, Shown> shown = BoundedCaches.map(MAX_REMEMBERED);

  SlackStatusLine(InstantSource clock) {
    this.clock = clock;
  }

  private boolean isShown(SlackPlace place, String what) {
    var last = shown.get(place.conversation().key());
    return last != null
        && last.what().equals(what)
        && clock.instant().isBefore(last.at().plus(MIN_REPEAT));
  }

  private void remember(SlackPlace place, String what) {
    shown.put(place.conversation().key(), new Shown(what, clock.instant()));
  }

  private Kind kind(SlackPlace place) {
    return kinds.getOrDefault(place.team(), Kind.UNKNOWN);
  }

  /// Whether a status post there may be a stream.
  boolean mayStream(SlackPlace place) {
    var kind = kind(place);
    return kind == Kind.STOPPABLE || kind == Kind.UNKNOWN;
  }

  /// Marks the session as processing, where sessions are available. The status line is set by
  /// [#setLine], after the post that would clear it.
  Kind markBusy(SlackAgentApi api, SlackPlace place, Update.Status status) {
    return set(api, place, Session.PROCESSING, status);
  }

  private Kind set(SlackAgentApi api, SlackPlace place, Session session, Update.Status status) {
    var before = kind(place);
    if (!before.mayBeSession() || isShown(place, session.name())) {
      return before;
    }
    switch (api.session(place, session, title(status), status.requester().id())) {
      case SlackResponse.Ok<Boolean>(Boolean hasButton) -> {
        remember(place, hasButton ? Kind.STOPPABLE : Kind.SESSION);
        remember(place, session.name());
      }
      case SlackResponse.No<Boolean>(String error) -> {
        if (!SlackAgentApi.concernsThread(error)) {
          log.info("slack agent sessions not available team={} error={}", place.team(), error);
          remember(place, Kind.LINE);
        }
      }
      case SlackResponse.Wait<Boolean>(_, String why) ->
          log.debug("slack session not set conversation={} why={}", place.conversation(), why);
    }
    return kind(place);
  }

  private void remember(SlackPlace place, Kind kind) {
    kinds.put(place.team(), kind);
  }

  /// Sets the status line, where it is used instead of sessions.
  ///
  /// @param first whether this is the run's first status, so that the thread gets its title
  void setLine(SlackAgentApi api, SlackPlace place, Update.Status status, boolean first) {
    var lineText = lineText(status);
    if (kind(place) != Kind.LINE || (!first && isShown(place, lineText))) {
      return;
    }
    switch (api.line(place, lineText)) {
      case SlackResponse.Ok<?> _ -> remember(place, lineText);
      case SlackResponse.No<?>(String error) when !SlackAgentApi.concernsThread(error) -> {
        log.info("slack status line not available team={} error={}", place.team(), error);
        remember(place, Kind.NONE);
        return;
      }
      case SlackResponse.No<?> _, SlackResponse.Wait<?> _ -> {}
    }
    if (first && api.title(place, title(status)) instanceof SlackResponse.No<?>(String error)) {
      log.debug("slack thread title not set conversation={} error={}", place.conversation(), error);
    }
  }

  /// Ends the busy state, for a run that has ended or waits for a person.
  void markIdle(SlackAgentApi api, SlackPlace place, Update.Status status) {
    var session = status.run().state() == RunState.BLOCKED ? Session.SUSPENDED : Session.ACTIVE;
    if (set(api, place, session, status) == Kind.LINE) {
      shown.remove(place.conversation().key());
      var _ = api.line(place, "");
    }
  }

  /// Handles a press of Slack's stop button. Slack leaves it to the app to end the busy state; a
  /// run that continues is shown again soon.
  void stopPressed(SlackAgentApi api, SlackPlace place, String user) {
    shown.remove(place.conversation().key());
    if (kind(place).mayBeSession()) {
      var _ = api.session(place, Session.ACTIVE, "", user);
    }
  }

  /// The time after which it must be set again; empty for never.
  Optional<Duration> lifetime(SlackPlace place) {
    return switch (kind(place)) {
      case NONE -> Optional.empty();
      case LINE, UNKNOWN -> Optional.of(LINE_LIFETIME);
      case STOPPABLE, SESSION -> Optional.of(SESSION_LIFETIME);
    };
  }

  /// `is working: running the tests`; Slack puts the app's name in front.
  private static String lineText(Update.Status status) {
    if (status.stop().isPresent()) {
      return "is stopping…";
    }
    return switch (status.run().state()) {
      case QUEUED -> "is setting up…";
      case RUNNING, UNKNOWN, BLOCKED, SUCCEEDED, FAILED, CANCELLED ->
          status
              .run()
              .message()
              .map(it -> Mrkdwn.oneLine(it, MAX_LINE))
              .filter(it -> !it.isBlank())
              .map(it -> "is working: " + it)
              .orElse("is working…");
    };
  }

  /// The run's title in lists; one line of plain text.
  static String title(Update.Status status) {
    Run run = status.run();
    var title = Mrkdwn.oneLine(run.title(), MAX_TITLE);
    return title.isBlank() ? Mrkdwn.oneLine(status.request().text(), MAX_TITLE) : title;
  }
}
