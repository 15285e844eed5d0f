package dev.runnel.surface.slack.receive;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackText;
import java.util.Optional;
import java.util.Set;

/// Reads what users do to an existing message: edit it, delete it, or react to it. Pure.
final class SlackAmendments {
  private final SlackBehavior behavior;

  SlackAmendments(SlackBehavior behavior) {
    this.behavior = behavior;
  }

  static Optional<Delivery> changed(SlackEvent event, SlackEvent.Changed changed) {
    var changes = changed.isDeleted() || isTextChanged(changed.now(), changed.before());
    var found = changed.isDeleted() ? changed.before() : Optional.of(changed.now());
    if (!changes || found.isEmpty()) {
      return Optional.empty();
    }
    var message = found.get();
    var channel = changed.channel();
    var ts = message.ts().or(changed::deleted);
    var user = message.user();
    var own = event.ownUsers();
    if (channel.isEmpty()
        || ts.isEmpty()
        || user.isEmpty()
        || message.isOdd()
        || own.contains(user.get())
        || message.isOfBot()) {
      return Optional.empty();
    }
    var place = new SlackPlace(event.team(), channel.get(), message.thread().orElse(ts.get()));
    var addressed =
        place.isDirect()
            || SlackText.mentions(message.words(), own)
            || changed.before().filter(it -> SlackText.mentions(it.words(), own)).isPresent();
    if (!addressed && place.thread().equals(ts.get())) {
      return Optional.empty();
    }
    var said = "%s/%s/%s".formatted(event.team(), channel.get(), ts.get());
    var when =
        changed.now().editedAt().filter(_ -> !changed.isDeleted()).or(changed::at).orElse("");
    return Optional.of(
        delivery(
            event,
            (changed.isDeleted() ? "deleted:" : "edited:") + said + "/" + when,
            place,
            ts.get(),
            user.get(),
            new Intent.Amend(
                "message:" + said,
                changed.isDeleted() ? Optional.empty() : words(message, own, addressed)),
            addressed));
  }

  /// Whether the text changed; not so for an unfurled link or a new reply count. An unreadable text
  /// does not count as a deletion.
  private static boolean isTextChanged(
      SlackEvent.Message now, Optional<SlackEvent.Message> before) {
    return now.text().isPresent()
        && before.map(it -> !now.words().equals(it.words())).orElse(now.isEdited());
  }

  /// @return empty for text that addresses other people in the thread
  private static Optional<Intent> words(
      SlackEvent.Message message, Set<String> own, boolean addressed) {
    if (!addressed && SlackText.mentionsOthers(message.words(), own)) {
      return Optional.empty();
    }
    return Optional.of(SlackText.plain(SlackText.withoutMentions(message.words(), own)))
        .filter(words -> !words.isBlank())
        .flatMap(words -> MessageParser.words(words, addressed));
  }

  Optional<Delivery> reacted(SlackEvent event, SlackEvent.Reacted reacted) {
    var channel = reacted.channel();
    var ts = reacted.ts();
    var user = reacted.user();
    if (channel.isEmpty()
        || ts.isEmpty()
        || user.isEmpty()
        || event.ownUsers().contains(user.get())) {
      return Optional.empty();
    }
    var place = new SlackPlace(event.team(), channel.get(), ts.get());
    if (behavior.start().filter(reacted.reaction()::equals).isPresent()) {
      return Optional.of(started(event, place, user.get()));
    }
    if (behavior.stop().filter(reacted.reaction()::equals).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        delivery(
            event,
            "reaction:%s/%s/%s/%s/%s"
                .formatted(
                    event.team(), channel.get(), ts.get(), user.get(), reacted.at().orElse("")),
            place,
            ts.get(),
            user.get(),
            new Intent.StopAt(place.message(ts.get()).ref()),
            false));
  }

  /// A request about the message, which the agent reads among the earlier messages of its thread.
  /// Whoever wrote it may be a stranger, so its text is not the request. The event does not name
  /// the thread of the message, which is found when the request is posted there. Several people's
  /// reactions on one message are one request.
  private static Delivery started(SlackEvent event, SlackPlace place, String user) {
    return event.delivery(
        "start-reaction:%s/%s/%s".formatted(event.team(), place.channel(), place.thread()),
        place,
        user,
        new Intent.Say(
            Request.of(
                "Act on the message that was written here at %s."
                    .formatted(SlackPlace.at(place.thread())))),
        true,
        new Origin(Optional.empty(), Optional.empty(), Optional.empty(), true));
  }

  private static Delivery delivery(
      SlackEvent event,
      String meaning,
      SlackPlace place,
      String ts,
      String user,
      Intent intent,
      boolean addressed) {
    return event.delivery(
        meaning,
        place,
        user,
        intent,
        addressed,
        new Origin(
            Optional.empty(), Optional.empty(), Optional.of(place.message(ts).ref()), false));
  }
}
