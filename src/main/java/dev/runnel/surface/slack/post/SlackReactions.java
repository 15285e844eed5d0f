package dev.runnel.surface.slack.post;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Shows a message's status by reactions: adds the new one, then removes the old ones. Reactions
/// are optional, so a refusal counts as success. Adding and removing are idempotent, so all of it
/// may be repeated.
final class SlackReactions {
  private static final Logger log = LoggerFactory.getLogger(SlackReactions.class);

  private SlackReactions() {}

  static Posting set(
      SlackApi api, SlackBehavior behavior, Notice notice, Update.Received received) {
    var done = new Posting.Posted(received.message(), notice.conversation());
    var reaction = behavior.reactions().get(received.receipt());
    if (reaction == null) {
      return done;
    }
    var message = SlackPlace.Message.of(received.message());
    var wait = toPosting(notice, api.react(message, reaction));
    for (var old : old(behavior, received, reaction)) {
      wait = wait.or(() -> toPosting(notice, api.unreact(message, old)));
    }
    return wait.orElse(done);
  }

  private static Iterable<String> old(
      SlackBehavior behavior, Update.Received received, String reaction) {
    return received.before().stream()
        .map((MessageStatus before) -> behavior.reactions().get(before))
        .filter(Objects::nonNull)
        .filter(old -> !old.equals(reaction))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Optional<Posting> toPosting(Notice notice, SlackResponse<String> slackResponse) {
    return switch (slackResponse) {
      case SlackResponse.Wait<String>(Optional<Duration> after, String why) ->
          Optional.of(new Posting.Later(after, why));
      case SlackResponse.Ok<String> _ -> Optional.empty();
      case SlackResponse.No<String>(String error) -> {
        log.debug(
            "slack reaction not changed conversation={} error={}", notice.conversation(), error);
        yield Optional.empty();
      }
    };
  }
}
