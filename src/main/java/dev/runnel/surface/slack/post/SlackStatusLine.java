package dev.runnel.surface.slack.post;

import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunState;
import dev.runnel.core.model.Update;
import dev.runnel.surface.kit.Recent;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What Slack itself shows under a direct thread while its run works: a session with a button that
/// stops; where the app is no agent, a line of words; where neither is to be had, nothing. Which of
/// them is found out by the first call in a workspace, and remembered.
///
/// @implSpec Thread-safe. It is an ornament: what fails is not tried again before its time.
final class SlackStatusLine {
  private static final Logger log = LoggerFactory.getLogger(SlackStatusLine.class);

  /// Words fade after two minutes.
  private static final Duration WORDS_LAST = Duration.ofSeconds(90);

  /// Slack lets a session be busy for about an hour; a lost call is made good sooner.
  private static final Duration SESSION_LASTS = Duration.ofMinutes(4);

  private static final int MAX_LINE = 100;
  private static final int MAX_TITLE = 190;

  /// Errors that say nothing about the app.
  private static final Set<String> OF_THE_THREAD =
      Set.of(
          "channel_not_found",
          "thread_not_found",
          "invalid_thread_ts",
          "message_not_found",
          "not_in_channel",
          "is_archived",
          "user_not_found",
          "user_not_in_channel",
          "invalid_auth",
          "not_authed",
          "account_inactive",
          "token_revoked",
          "token_expired");

  /// What a workspace gives us.
  enum Kind {
    /// Not known yet.
    UNKNOWN,
    /// A session, and Slack's button stops it.
    STOPPABLE,
    /// A session without the button: the app does not hear of it.
    SESSION,
    WORDS,
    NONE;

    private boolean mayBeSession() {
      return this == UNKNOWN || this == STOPPABLE || this == SESSION;
    }
  }

  /// The same is not said again before that: a run may say every second that it works.
  private static final Duration SAID_ENOUGH = Duration.ofSeconds(30);

  private static final int MAX_REMEMBERED = 10_000;

  private record Said(String what, Instant at) {}

  private final InstantSource clock;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();
  private final Map<String, Said> said = Recent.map(MAX_REMEMBERED);

  SlackStatusLine(InstantSource clock) {
    this.clock = clock;
  }

  private boolean isSaid(SlackPlace place, String what) {
    var last = said.get(place.conversation().key());
    return last != null
        && last.what().equals(what)
        && clock.instant().isBefore(last.at().plus(SAID_ENOUGH));
  }

  private void remember(SlackPlace place, String what) {
    said.put(place.conversation().key(), new Said(what, clock.instant()));
  }

  private Kind kind(SlackPlace place) {
    return kinds.getOrDefault(place.team(), Kind.UNKNOWN);
  }

  /// Whether a status post there may be one that grows.
  boolean mayStream(SlackPlace place) {
    var kind = kind(place);
    return kind == Kind.STOPPABLE || kind == Kind.UNKNOWN;
  }

  /// Shows that the run works, where that is a session. Words come by [#say], after the post that
  /// would take them away.
  Kind busy(SlackAgentApi api, SlackPlace place, Update.Status status) {
    return set(api, place, Session.PROCESSING, status);
  }

  private Kind set(SlackAgentApi api, SlackPlace place, Session session, Update.Status status) {
    var before = kind(place);
    if (!before.mayBeSession() || isSaid(place, session.name())) {
      return before;
    }
    switch (api.session(place, session, title(status), status.requester().id())) {
      case SlackResponse.Ok<Boolean>(Boolean hasButton) -> {
        learn(place, hasButton ? Kind.STOPPABLE : Kind.SESSION);
        remember(place, session.name());
      }
      case SlackResponse.No<Boolean>(String error) -> {
        if (!OF_THE_THREAD.contains(error)) {
          log.info("slack has no agent sessions here team={} error={}", place.team(), error);
          learn(place, Kind.WORDS);
        }
      }
      case SlackResponse.Wait<Boolean>(_, String why) ->
          log.debug("slack session not set conversation={} why={}", place.conversation(), why);
    }
    return kind(place);
  }

  private void learn(SlackPlace place, Kind kind) {
    kinds.put(place.team(), kind);
  }

  /// Says what the run does, where that is a line of words.
  ///
  /// @param first whether nothing was said of the run yet, so that the thread gets its title
  void say(SlackAgentApi api, SlackPlace place, Update.Status status, boolean first) {
    var words = words(status);
    if (kind(place) != Kind.WORDS || (!first && isSaid(place, words))) {
      return;
    }
    switch (api.line(place, words)) {
      case SlackResponse.Ok<?> _ -> remember(place, words);
      case SlackResponse.No<?>(String error) when !OF_THE_THREAD.contains(error) -> {
        log.info("slack has no status line here team={} error={}", place.team(), error);
        learn(place, Kind.NONE);
        return;
      }
      case SlackResponse.No<?> _, SlackResponse.Wait<?> _ -> {}
    }
    if (first && api.title(place, title(status)) instanceof SlackResponse.No<?>(String error)) {
      log.debug("slack thread not titled conversation={} error={}", place.conversation(), error);
    }
  }

  /// The run works no more: it ended, or waits for a person.
  void over(SlackAgentApi api, SlackPlace place, Update.Status status) {
    var session = status.run().state() == RunState.BLOCKED ? Session.SUSPENDED : Session.ACTIVE;
    if (set(api, place, session, status) == Kind.WORDS) {
      said.remove(place.conversation().key());
      var _ = api.line(place, "");
    }
  }

  /// Somebody pressed Slack's button. Slack leaves it to us to end what it shows; a run that goes
  /// on is shown again soon.
  void released(SlackAgentApi api, SlackPlace place, String user) {
    said.remove(place.conversation().key());
    if (kind(place).mayBeSession()) {
      var _ = api.session(place, Session.ACTIVE, "", user);
    }
  }

  /// After what time it is to be set again.
  Optional<Duration> lasts(SlackPlace place) {
    return switch (kind(place)) {
      case NONE -> Optional.empty();
      case WORDS, UNKNOWN -> Optional.of(WORDS_LAST);
      case STOPPABLE, SESSION -> Optional.of(SESSION_LASTS);
    };
  }

  /// `Runnel is working: running the tests`; Slack writes the app's name.
  private static String words(Update.Status status) {
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

  /// What the run is called in lists; one line of plain text.
  static String title(Update.Status status) {
    Run run = status.run();
    var title = Mrkdwn.oneLine(run.title(), MAX_TITLE);
    return title.isBlank() ? Mrkdwn.oneLine(status.request().text(), MAX_TITLE) : title;
  }
}
