package dev.runnel.surface.slack.post;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.slack.api.SlackAgentApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Streams status posts: each step of the run is a task card of its own. A status post is streamed
/// only for its first four minutes; then, or when its run stops working, the stream is closed and
/// the message edited into the usual status post.
///
/// A step's id is derived from its text, so that a repeated step shows once. Open streams are
/// remembered only to save calls: a stream that is not known (opened by another node, or before a
/// crash) is closed and edited.
///
/// @implSpec Thread-safe. Calls for one conversation must not overlap.
final class SlackStreams {
  private static final Logger log = LoggerFactory.getLogger(SlackStreams.class);

  /// Slack closes a stream after five minutes and then shows it as failed.
  private static final Duration LIFETIME = Duration.ofMinutes(4);

  /// A message older than this is no longer streaming, if the clocks differ by less than two
  /// minutes.
  private static final Duration CLOSED_AFTER = Duration.ofMinutes(7);

  private static final int MAX_REMEMBERED = 10_000;

  /// The alternative to a stream: a status message that is edited.
  interface PlainMessages {
    Posting postNew(Notice notice);

    /// @param orPostNew whether to post a new message if it was deleted
    Posting edit(Notice notice, PostRef status, boolean orPostNew);

    Posting posting(Notice notice, SlackResponse<String> slackResponse);
  }

  /// @param steps its content; empty when it is closed
  private record Stream(String ts, Instant openedAt, Optional<StreamState> steps) {}

  private final InstantSource clock;
  private final Set<String> teamsWithoutStreams = ConcurrentHashMap.newKeySet();
  private final Map<String, Stream> streams = BoundedCaches.map(MAX_REMEMBERED);

  SlackStreams(InstantSource clock) {
    this.clock = clock;
  }

  /// Finds the result of an earlier attempt to post a status whose outcome is unknown. A stream or
  /// post that is found becomes the status post.
  ///
  /// @return empty when nothing is found
  Optional<Posting> findEarlier(SlackAgentApi api, Notice notice, PlainMessages plain) {
    var place = SlackPlace.of(notice.conversation());
    var mark = SlackPost.Mark.of(notice.id().value());
    var oldest = SlackPlace.timestamp(notice.createdAt().minus(SlackPosts.CLOCK_SKEW));
    return switch (api.find(place, oldest, mark)) {
      case SlackResponse.Ok<Optional<String>>(Optional<String> found) ->
          found
              .map(ts -> place.message(ts).ref())
              .map(ref -> close(api, notice, ref).orElseGet(() -> plain.edit(notice, ref, true)));
      case SlackResponse.Wait<Optional<String>>(Optional<Duration> after, String why) ->
          Optional.of(new Posting.Later(after, why));
      // Without permission to search, a duplicate post is better than none.
      case SlackResponse.No<Optional<String>> _ -> Optional.empty();
    };
  }

  /// Starts a stream as the status post of a run.
  Posting begin(SlackAgentApi api, Notice notice, Update.Status status, PlainMessages plain) {
    var place = SlackPlace.of(notice.conversation());
    var mark = SlackPost.Mark.of(notice.id().value());
    if (teamsWithoutStreams.contains(place.team())) {
      return plain.postNew(notice);
    }
    var steps = StreamState.first(status, mark);
    var slackResponse = api.startStream(place, status.requester().id(), steps.chunks());
    return switch (slackResponse) {
      case SlackResponse.Ok<String>(String ts) when !ts.isEmpty() -> {
        remember(notice, new Stream(ts, clock.instant(), Optional.of(steps)));
        yield plain.posting(notice, slackResponse);
      }
      case SlackResponse.Ok<String> _ ->
          new Posting.Later(Optional.empty(), "Slack returned no timestamp of the stream");
      case SlackResponse.No<String>(String error) -> {
        if (!SlackAgentApi.concernsThread(error)) {
          log.info("slack streaming not available team={} error={}", place.team(), error);
          teamsWithoutStreams.add(place.team());
        }
        yield plain.postNew(notice);
      }
      case SlackResponse.Wait<String> _ -> plain.posting(notice, slackResponse);
    };
  }

  Posting append(
      SlackAgentApi api, Notice notice, Update.Status status, PostRef ref, PlainMessages plain) {
    var message = SlackPlace.Message.of(ref);
    var stream = known(notice, message).filter(it -> !isExpired(it));
    if (stream.isEmpty() || stream.get().steps().isEmpty()) {
      return close(api, notice, ref).orElseGet(() -> plain.edit(notice, ref, true));
    }
    var next = stream.get().steps().get().next(status);
    var done = new Posting.Posted(ref, notice.conversation());
    if (next.chunks().isEmpty()) {
      return done;
    }
    return switch (api.append(message, next.chunks())) {
      case SlackResponse.Ok<?> _ -> {
        remember(notice, new Stream(message.ts(), stream.get().openedAt(), Optional.of(next)));
        yield done;
      }
      case SlackResponse.Wait<?>(Optional<Duration> after, String why) ->
          new Posting.Later(after, why);
      // Slack closed it, or a user pressed the stop button.
      case SlackResponse.No<?>(String error) -> {
        log.debug("slack stream closed conversation={} error={}", notice.conversation(), error);
        remember(notice, new Stream(message.ts(), stream.get().openedAt(), Optional.empty()));
        yield plain.edit(notice, ref, true);
      }
    };
  }

  /// Closes the stream if it may be open.
  ///
  /// @return when to retry, if Slack cannot close it now
  Optional<Posting> close(SlackAgentApi api, Notice notice, PostRef ref) {
    var message = SlackPlace.Message.of(ref);
    var known = known(notice, message);
    if (known.isPresent() ? known.get().steps().isEmpty() : isTooOldToStream(message.ts())) {
      return Optional.empty();
    }
    if (api.stop(message) instanceof SlackResponse.Wait<?>(Optional<Duration> after, String why)) {
      return Optional.of(new Posting.Later(after, why));
    }
    remember(notice, new Stream(message.ts(), clock.instant(), Optional.empty()));
    return Optional.empty();
  }

  /// If due, closes the stream and edits it into a permanent status post.
  Posting renew(SlackAgentApi api, Notice notice, PostRef ref, PlainMessages plain) {
    var done = new Posting.Posted(ref, notice.conversation());
    var message = SlackPlace.Message.of(ref);
    var known = known(notice, message);
    var isDue =
        known.isPresent()
            ? known.get().steps().isPresent() && isExpired(known.get())
            : !isTooOldToStream(message.ts());
    if (!isDue) {
      return done;
    }
    return close(api, notice, ref)
        .or(
            () ->
                Optional.of(plain.edit(notice, ref, false))
                    .filter(it -> it instanceof Posting.Later))
        .orElse(done);
  }

  /// The time left until the conversation's stream must be closed.
  Optional<Duration> timeLeft(SlackPlace place) {
    return Optional.ofNullable(streams.get(place.conversation().key()))
        .filter(it -> it.steps().isPresent())
        .map(it -> Duration.between(clock.instant(), it.openedAt().plus(LIFETIME)))
        .map(it -> it.isPositive() ? it : Duration.ofSeconds(1));
  }

  private Optional<Stream> known(Notice notice, SlackPlace.Message message) {
    return Optional.ofNullable(streams.get(notice.conversation().key()))
        .filter(it -> it.ts().equals(message.ts()));
  }

  private void remember(Notice notice, Stream stream) {
    streams.put(notice.conversation().key(), stream);
  }

  private boolean isExpired(Stream stream) {
    return !clock.instant().isBefore(stream.openedAt().plus(LIFETIME));
  }

  private boolean isTooOldToStream(String ts) {
    return SlackPlace.at(ts).plus(CLOSED_AFTER).isBefore(clock.instant());
  }
}
