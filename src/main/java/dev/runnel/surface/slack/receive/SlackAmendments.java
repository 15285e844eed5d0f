package dev.runnel.surface.slack.receive;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.Reply;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackJson;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackText;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Reads what users do to an existing message: edit it, delete it, or react to it. Pure.
final class SlackAmendments {
  private static final Reply TAKEN = Reply.empty(200);
  private static final WebhookResult NOISE = new WebhookResult.Answered(TAKEN);

  private final SlackBehavior habits;
  private final Function<JsonNode, Set<String>> ownUsers;
  private final Function<JsonNode, Optional<String>> teamOf;

  /// @param ownUsers finds the bot's user ids from the body of a request
  /// @param teamOf finds the receiving workspace from the body
  SlackAmendments(
      SlackBehavior habits,
      Function<JsonNode, Set<String>> ownUsers,
      Function<JsonNode, Optional<String>> teamOf) {
    this.habits = habits;
    this.ownUsers = ownUsers;
    this.teamOf = teamOf;
  }

  static boolean isOne(JsonNode event) {
    var subtype = SlackJson.text(event, "subtype");
    return SlackJson.text(event, "type").equals("message")
        && (subtype.equals("message_changed") || subtype.equals("message_deleted"));
  }

  static boolean isReaction(JsonNode event) {
    return SlackJson.text(event, "type").equals("reaction_added");
  }

  WebhookResult read(JsonNode body, Instant arrivedAt) {
    var event = body.path("event");
    return (isReaction(event) ? reaction(body, event, arrivedAt) : amended(body, event, arrivedAt))
        .<WebhookResult>map(delivery -> new WebhookResult.Accepted(delivery, TAKEN))
        .orElse(NOISE);
  }

  private Optional<Delivery> amended(JsonNode body, JsonNode event, Instant arrivedAt) {
    var now = event.path("message");
    var before = event.path("previous_message");
    // Deleting the first message of a thread with replies leaves a tombstone.
    var isGone =
        SlackJson.text(event, "subtype").equals("message_deleted")
            || SlackJson.text(now, "subtype").equals("tombstone");
    var message = isGone ? before : now;
    if (!isGone && !saysAnother(now, before)) {
      return Optional.empty();
    }
    var team = teamOf.apply(body);
    var channel = SlackJson.id(event, "channel");
    var ts = SlackJson.id(message, "ts").or(() -> SlackJson.id(event, "deleted_ts"));
    var user = SlackJson.id(message, "user");
    var own = ownUsers.apply(body);
    if (team.isEmpty()
        || channel.isEmpty()
        || ts.isEmpty()
        || user.isEmpty()
        || SlackJson.isOdd(message, "thread_ts")
        || own.contains(user.get())
        || !SlackJson.absent(message.path("bot_id"))) {
      return Optional.empty();
    }
    var thread = SlackJson.id(message, "thread_ts").orElse(ts.get());
    var place = new SlackPlace(team.get(), channel.get(), thread);
    var addressed =
        place.isDirect()
            || SlackText.mentions(SlackJson.text(message, "text"), own)
            || SlackText.mentions(SlackJson.text(before, "text"), own);
    if (!addressed && thread.equals(ts.get())) {
      return Optional.empty();
    }
    var said = "%s/%s/%s".formatted(team.get(), channel.get(), ts.get());
    var when =
        SlackJson.id(now.path("edited"), "ts")
            .filter(_ -> !isGone)
            .or(() -> SlackJson.id(event, "event_ts"))
            .or(() -> SlackJson.id(event, "ts"))
            .orElse("");
    var meaning = (isGone ? "deleted:" : "edited:") + said + "/" + when;
    var intent =
        new Intent.Amend(
            "message:" + said, isGone ? Optional.empty() : words(message, own, addressed));
    return Optional.of(
        delivery(body, meaning, place, ts.get(), user.get(), intent, addressed, arrivedAt));
  }

  /// Whether the text changed; not so for an unfurled link or a new reply count.
  private static boolean saysAnother(JsonNode now, JsonNode before) {
    var text = SlackJson.text(now, "text");
    // An unreadable text does not count as a deletion.
    if (!now.path("text").isTextual()) {
      return false;
    }
    return SlackJson.absent(before)
        ? !SlackJson.absent(now.path("edited"))
        : !text.equals(SlackJson.text(before, "text"));
  }

  /// @return empty for text that addresses other people in the thread
  private static Optional<Intent> words(JsonNode message, Set<String> own, boolean addressed) {
    var text = SlackJson.text(message, "text");
    if (!addressed && SlackText.mentionsOthers(text, own)) {
      return Optional.empty();
    }
    return Optional.of(SlackText.plain(SlackText.withoutMentions(text, own)))
        .filter(words -> !words.isBlank())
        .flatMap(words -> MessageParser.words(words, addressed));
  }

  private Optional<Delivery> reaction(JsonNode body, JsonNode event, Instant arrivedAt) {
    var item = event.path("item");
    var team = teamOf.apply(body);
    var channel = SlackJson.id(item, "channel");
    var ts = SlackJson.id(item, "ts");
    var user = SlackJson.id(event, "user");
    var name = SlackJson.text(event, "reaction");
    if (team.isEmpty()
        || channel.isEmpty()
        || ts.isEmpty()
        || user.isEmpty()
        || habits.stop().filter(name::equals).isEmpty()
        || ownUsers.apply(body).contains(user.get())) {
      return Optional.empty();
    }
    var place = new SlackPlace(team.get(), channel.get(), ts.get());
    var meaning =
        "reaction:%s/%s/%s/%s/%s"
            .formatted(
                team.get(),
                channel.get(),
                ts.get(),
                user.get(),
                SlackJson.id(event, "event_ts").orElse(""));
    var intent = new Intent.StopAt(place.message(ts.get()).ref());
    return Optional.of(
        delivery(body, meaning, place, ts.get(), user.get(), intent, false, arrivedAt));
  }

  private static Delivery delivery(
      JsonNode body,
      String meaning,
      SlackPlace place,
      String ts,
      String user,
      Intent intent,
      boolean addressed,
      Instant arrivedAt) {
    return new Delivery(
        DeliveryId.of(SlackPlace.SURFACE, SlackJson.id(body, "event_id").orElse(meaning)),
        meaning,
        place.conversation(),
        SlackPayloads.actor(user, ""),
        intent,
        addressed,
        new Origin(Optional.empty(), Optional.empty(), Optional.of(place.message(ts).ref()), false),
        arrivedAt);
  }
}
