package dev.runnel.surface.slack.receive;

import static dev.runnel.surface.slack.model.SlackJson.absent;
import static dev.runnel.surface.slack.model.SlackJson.first;
import static dev.runnel.surface.slack.model.SlackJson.id;
import static dev.runnel.surface.slack.model.SlackJson.isInvalid;
import static dev.runnel.surface.slack.model.SlackJson.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.surface.slack.model.SharedFile;
import dev.runnel.surface.slack.model.SharedMessage;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackJson;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// An event of Slack's Events API, with the members that Runnel uses. Accepts every payload: an id
/// is empty if it is missing or invalid, a text if it is missing or not a text.
///
/// @param eventId Slack's id; empty for a listed message
/// @param team the workspace whose token receives the event
/// @param ownUsers the bot's user ids
record SlackEvent(
    Optional<String> eventId,
    String team,
    Set<String> ownUsers,
    Instant arrivedAt,
    Content content) {
  static final String HOME = "app_home_opened";
  static final String STOPPED = "agent_session_stopped";
  static final String CONTEXT = "app_context_changed";
  static final String STEP = "function_executed";
  static final String STARTED = "assistant_thread_started";
  static final String CONTEXT_OF_THREAD = "assistant_thread_context_changed";

  private static final Set<String> USER_SUBTYPES = Set.of("file_share", "thread_broadcast");
  private static final String CHANNEL = "slack#/types/channel_id";
  private static final String MESSAGE = "slack#/types/message_context";

  /// The content, by the event's `type`.
  sealed interface Content {}

  /// A `message` or an `app_mention`.
  ///
  /// @param isFromPerson whether it is a new message from a person: not a "joined the channel", a
  ///   bot's message or a hidden one
  /// @param alert the text of an app's new message, in a channel that no other workspace shares
  /// @param shared the messages forwarded with it
  record Posted(
      boolean isMention,
      boolean isFromPerson,
      Optional<String> alert,
      Optional<String> channel,
      Message message,
      List<SharedFile> files,
      List<SharedMessage> shared,
      Optional<OpenChannel> openChannel)
      implements Content {
    /// A message as the Web API lists it.
    static Posted of(String channel, com.slack.api.model.Message listed) {
      return new Posted(
          false,
          SlackEvent.isFromPerson(listed.getSubtype()) && listed.getBotId() == null,
          // A missed alert is outdated.
          Optional.empty(),
          SlackJson.id(channel),
          new Message(
              SlackJson.id(listed.getTs()),
              SlackJson.id(listed.getThreadTs()),
              SlackJson.isInvalid(listed.getThreadTs()),
              SlackJson.id(listed.getUser()),
              listed.getBotId() != null,
              Optional.ofNullable(listed.getText()),
              false,
              Optional.empty()),
          SharedFile.in(listed),
          SharedMessage.in(listed),
          Optional.empty());
    }
  }

  /// A message that was edited or deleted.
  ///
  /// @param now the message after the change; all fields are empty when it was deleted
  /// @param files of the message after the change
  /// @param filesBefore those before it, if `before` is known
  /// @param shared the messages forwarded with the message after the change
  /// @param deleted the timestamp of a deleted message
  /// @param at the time of the change, as a timestamp
  record Changed(
      boolean isDeleted,
      Optional<String> channel,
      Message now,
      List<SharedFile> files,
      List<SharedFile> filesBefore,
      List<SharedMessage> shared,
      Optional<Message> before,
      Optional<String> deleted,
      Optional<String> at,
      Optional<OpenChannel> openChannel)
      implements Content {}

  record Reacted(
      String reaction,
      Optional<String> channel,
      Optional<String> ts,
      Optional<String> user,
      Optional<String> at)
      implements Content {}

  record HomeOpened(Optional<String> user, Optional<String> at) implements Content {}

  /// A user opened the agent view, or a channel beside it.
  record Viewed(OpenChannel openChannel, Optional<Opened> opened) implements Content {}

  record Stopped(
      Optional<String> channel, Optional<String> thread, Optional<String> user, Optional<String> at)
      implements Content {}

  /// A step of a workflow is executed.
  ///
  /// @param callback the callback id of the step
  /// @param execution Slack's id of the execution
  /// @param inputs only those whose value is text
  record StepExecuted(String callback, Optional<String> execution, Map<String, String> inputs)
      implements Content {
    /// Empty if it is missing or blank.
    Optional<String> input(String name) {
      return Optional.ofNullable(inputs.get(name)).map(String::strip).filter(it -> !it.isEmpty());
    }
  }

  /// The app was uninstalled, or the bot's tokens were revoked.
  record Uninstalled(Optional<Instant> at) implements Content {}

  /// Events that Runnel does not use.
  record Other() implements Content {}

  /// @param hasInvalidThread whether the thread is present but not a valid timestamp
  /// @param text empty if it is not text
  record Message(
      Optional<String> ts,
      Optional<String> thread,
      boolean hasInvalidThread,
      Optional<String> user,
      boolean isOfBot,
      Optional<String> text,
      boolean isEdited,
      Optional<String> editedAt) {
    String textOrEmpty() {
      return text.orElse("");
    }
  }

  /// @param channel the channel that the user has open, other than the direct message with the bot
  record OpenChannel(Optional<String> user, Optional<String> channel) {}

  /// @param thread empty where threads are created with a message
  record Opened(String channel, Optional<String> thread) {}

  /// @param identity the bot's identity by workspace, once known; the workspace is empty when a
  ///   request names none
  /// @return empty when the workspace is unknown
  static Optional<SlackEvent> of(
      JsonNode body, Function<String, Optional<SlackIdentity>> identity, Instant arrivedAt) {
    // In a shared channel (Slack Connect), `team_id` may be another workspace.
    var authorization = first(body.path("authorizations"));
    return id(authorization, "team_id")
        .or(() -> id(body, "team_id"))
        .or(() -> identity.apply("").map(SlackIdentity::team))
        .map(
            team ->
                new SlackEvent(
                    id(body, "event_id"),
                    team,
                    Optional.of(authorization)
                        .filter(it -> it.path("is_bot").asBoolean())
                        .flatMap(it -> id(it, "user_id"))
                        .map(Set::of)
                        .orElseGet(() -> ownUsers(identity, team)),
                    arrivedAt,
                    content(body, body.path("event"))));
  }

  static Set<String> ownUsers(Function<String, Optional<SlackIdentity>> identity, String team) {
    return identity.apply(team).map(SlackIdentity::userId).map(Set::of).orElse(Set.of());
  }

  /// @param meaning its semantic key
  Delivery delivery(
      String meaning,
      SlackPlace place,
      String user,
      Intent intent,
      boolean addressed,
      Origin origin) {
    return new Delivery(
        DeliveryId.of(SlackPlace.SURFACE, eventId.orElse(meaning)),
        meaning,
        place.conversation(),
        new Actor(user, user),
        intent,
        addressed,
        origin,
        arrivedAt);
  }

  private static Content content(JsonNode body, JsonNode event) {
    return switch (text(event, "type")) {
      case "message" -> message(body, event);
      case "app_mention" -> posted(body, event, true, Optional.empty());
      case "reaction_added" ->
          new Reacted(
              text(event, "reaction"),
              id(event.path("item"), "channel"),
              id(event.path("item"), "ts"),
              id(event, "user"),
              id(event, "event_ts"));
      case HOME ->
          switch (text(event, "tab")) {
            case "home" -> new HomeOpened(id(event, "user"), id(event, "event_ts"));
            case "messages" ->
                new Viewed(
                    openChannel(body, event.path("context")),
                    id(event, "channel").map(it -> new Opened(it, Optional.empty())));
            default -> new Other();
          };
      case CONTEXT -> new Viewed(openChannel(body, event.path("context")), Optional.empty());
      case STARTED, CONTEXT_OF_THREAD -> thread(event, event.path("assistant_thread"));
      case STOPPED ->
          new Stopped(
              id(event, "channel"),
              id(event, "thread_ts"),
              id(event, "user"),
              id(event, "event_ts"));
      case STEP ->
          new StepExecuted(
              text(event.path("function"), "callback_id"),
              id(event, "function_execution_id"),
              event.path("inputs").properties().stream()
                  .filter(it -> it.getValue().isTextual())
                  .collect(Collectors.toMap(Map.Entry::getKey, it -> it.getValue().textValue())));
      case "app_uninstalled", "tokens_revoked" -> uninstalled(body, event.path("tokens"));
      default -> new Other();
    };
  }

  private static Content message(JsonNode body, JsonNode event) {
    var now = event.path("message");
    var nowIs = text(now, "subtype");
    // Slack sends this for a new thread title.
    if (nowIs.equals("assistant_app_thread")) {
      return new Other();
    }
    var context = event.path("app_context");
    var openChannel =
        context.isObject()
            ? Optional.of(openChannel(body, context))
            : Optional.<OpenChannel>empty();
    return switch (text(event, "subtype")) {
      case "message_changed", "message_deleted" ->
          new Changed(
              // Deleting the first message of a thread with replies leaves a tombstone.
              text(event, "subtype").equals("message_deleted") || nowIs.equals("tombstone"),
              id(event, "channel"),
              message(now),
              SharedFile.in(now.path("files")),
              SharedFile.in(event.path("previous_message").path("files")),
              SharedMessage.in(now.path("attachments")),
              Optional.of(event.path("previous_message"))
                  .filter(it -> !absent(it))
                  .map(SlackEvent::message),
              id(event, "deleted_ts"),
              id(event, "event_ts").or(() -> id(event, "ts")),
              openChannel);
      default -> posted(body, event, false, openChannel);
    };
  }

  private static Posted posted(
      JsonNode body, JsonNode event, boolean isMention, Optional<OpenChannel> openChannel) {
    var subtype = event.path("subtype");
    return new Posted(
        isMention,
        isFromPerson(absent(subtype) ? null : subtype.asText())
            && absent(event.path("bot_id"))
            && !event.path("hidden").asBoolean(),
        alert(body, event),
        id(event, "channel"),
        message(event),
        SharedFile.in(event.path("files")),
        SharedMessage.in(event.path("attachments")),
        openChannel);
  }

  private static Optional<String> alert(JsonNode body, JsonNode event) {
    var subtype = text(event, "subtype");
    if (absent(event.path("bot_id"))
        || !(subtype.isEmpty() || subtype.equals("bot_message"))
        || event.path("hidden").asBoolean()
        || body.path("is_ext_shared_channel").asBoolean()) {
      return Optional.empty();
    }
    // Many alerts have their text in attachments only.
    return Optional.of(
            Stream.concat(
                    Stream.of(text(event, "text")),
                    event
                        .path("attachments")
                        .valueStream()
                        .flatMap(
                            it ->
                                Stream.of(
                                    text(it, "title"), text(it, "text"), text(it, "fallback"))))
                .filter(it -> !it.isBlank())
                .collect(Collectors.joining("\n")))
        .filter(it -> !it.isEmpty());
  }

  private static boolean isFromPerson(@Nullable String subtype) {
    return subtype == null || USER_SUBTYPES.contains(subtype);
  }

  private static Message message(JsonNode message) {
    return new Message(
        id(message, "ts"),
        id(message, "thread_ts"),
        isInvalid(message, "thread_ts"),
        id(message, "user"),
        !absent(message.path("bot_id")),
        Optional.ofNullable(message.path("text").textValue()),
        !absent(message.path("edited")),
        id(message.path("edited"), "ts"));
  }

  private static Viewed thread(JsonNode event, JsonNode thread) {
    var ts = id(thread, "thread_ts");
    return new Viewed(
        new OpenChannel(
            id(thread, "user_id"),
            id(thread.path("context"), "channel_id").filter(SlackEvent::isChannel)),
        id(thread, "channel_id")
            .filter(_ -> text(event, "type").equals(STARTED) && ts.isPresent())
            .map(it -> new Opened(it, ts)));
  }

  /// Slack lists the most relevant entity first.
  private static OpenChannel openChannel(JsonNode body, JsonNode context) {
    return new OpenChannel(
        id(body.path("event"), "user").or(() -> person(body.path("authorizations"))),
        context.path("entities").valueStream().flatMap(SlackEvent::channel).findFirst());
  }

  private static Optional<String> person(JsonNode authorizations) {
    return authorizations
        .valueStream()
        .filter(it -> !it.path("is_bot").asBoolean())
        .flatMap(it -> id(it, "user_id").stream())
        .findFirst();
  }

  private static Stream<String> channel(JsonNode entity) {
    var found =
        switch (text(entity, "type")) {
          case CHANNEL -> id(entity, "value");
          case MESSAGE -> id(entity.path("value"), "channel_id");
          default -> Optional.<String>empty();
        };
    return found.filter(SlackEvent::isChannel).stream();
  }

  private static boolean isChannel(String channel) {
    return !channel.startsWith("D");
  }

  private static Content uninstalled(JsonNode body, JsonNode tokens) {
    var at = body.path("event_time");
    return tokens.isMissingNode() || !tokens.path("bot").isEmpty()
        ? new Uninstalled(
            at.canConvertToInt()
                ? Optional.of(Instant.ofEpochSecond(at.asInt()))
                : Optional.empty())
        : new Other();
  }
}
