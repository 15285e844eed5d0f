package dev.runnel.surface.slack.receive;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.surface.slack.model.SharedFile;
import dev.runnel.surface.slack.model.SharedMessage;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackText;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads edits and deletions of messages, and reactions to them. Pure.
record SlackMessageChanges(SlackBehavior behavior) {
  static Optional<Delivery> changed(SlackEvent event, SlackEvent.Changed changed) {
    var changes =
        changed.isDeleted()
            || isTextChanged(changed.now(), changed.before())
            || areFilesChanged(changed);
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
        || message.hasInvalidThread()
        || own.contains(user.get())
        || message.isOfBot()) {
      return Optional.empty();
    }
    var place = new SlackPlace(event.team(), channel.get(), message.thread().orElse(ts.get()));
    var addressed =
        place.isDirect()
            || SlackText.mentions(message.textOrEmpty(), own)
            || changed.before().filter(it -> SlackText.mentions(it.textOrEmpty(), own)).isPresent();
    if (!addressed && place.thread().equals(ts.get())) {
      return Optional.empty();
    }
    var messageKey = "%s/%s/%s".formatted(event.team(), channel.get(), ts.get());
    var when =
        changed.now().editedAt().filter(_ -> !changed.isDeleted()).or(changed::at).orElse("");
    return Optional.of(
        delivery(
            event,
            (changed.isDeleted() ? "deleted:" : "edited:") + messageKey + "/" + when,
            place,
            ts.get(),
            user.get(),
            new Intent.Amend(
                "message:" + messageKey,
                changed.isDeleted() ? Optional.empty() : intent(changed, own, addressed)),
            addressed));
  }

  /// Whether the text changed; false for an unfurled link or a new reply count, and for a text that
  /// cannot be read.
  private static boolean isTextChanged(
      SlackEvent.Message now, Optional<SlackEvent.Message> before) {
    return now.text().isPresent()
        && before.map(it -> !now.textOrEmpty().equals(it.textOrEmpty())).orElse(now.isEdited());
  }

  private static boolean areFilesChanged(SlackEvent.Changed changed) {
    return changed.before().isPresent()
        && changed.now().text().isPresent()
        && !names(changed.files()).equals(names(changed.filesBefore()));
  }

  private static List<String> names(List<SharedFile> files) {
    return files.stream().map(SharedFile::name).toList();
  }

  /// @return empty for text that addresses other people in the thread
  private static Optional<Intent> intent(
      SlackEvent.Changed changed, Set<String> own, boolean addressed) {
    var mrkdwn = changed.now().textOrEmpty();
    if (!addressed && SlackText.mentionsOthers(mrkdwn, own)) {
      return Optional.empty();
    }
    return Optional.of(
            SharedMessage.requestText(
                SharedFile.requestText(
                    SlackText.plain(SlackText.withoutMentions(mrkdwn, own)), changed.files()),
                changed.shared()))
        .filter(text -> !text.isBlank())
        .flatMap(text -> MessageParser.words(text, addressed))
        .map(intent -> SharedFile.naming(intent, changed.files()))
        .map(intent -> SharedMessage.quoting(intent, changed.shared()));
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

  /// A request about the message. Its author may be a stranger, so its text is not the request: the
  /// agent reads it among the earlier messages of the thread. The event does not contain the
  /// thread, which is looked up when the request is posted there. Reactions of several people on
  /// one message are one request.
  private static Delivery started(SlackEvent event, SlackPlace place, String user) {
    return event.delivery(
        "start-reaction:%s/%s/%s".formatted(event.team(), place.channel(), place.thread()),
        place,
        user,
        new Intent.Say(
            new Request(
                "Act on the message that was written here at %s."
                    .formatted(SlackPlace.at(place.thread())),
                RunOptions.NONE.withTitle(Optional.of("Act on this message")))),
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
