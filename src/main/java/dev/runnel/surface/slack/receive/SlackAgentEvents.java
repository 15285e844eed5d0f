package dev.runnel.surface.slack.receive;

import static dev.runnel.surface.slack.model.SlackJson.id;
import static dev.runnel.surface.slack.model.SlackJson.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// Reads the events of Slack's agent view, and of the assistant view before it: a user opens it,
/// switches to another channel, or presses Slack's stop button. All but the stop are optional
/// hints.
public final class SlackAgentEvents {
  static final String STARTED = "assistant_thread_started";
  static final String CONTEXT_OF_THREAD = "assistant_thread_context_changed";
  static final String CONTEXT = "app_context_changed";
  static final String HOME = "app_home_opened";
  static final String STOPPED = "agent_session_stopped";

  private static final String CHANNEL = "slack#/types/channel_id";
  private static final String MESSAGE = "slack#/types/message_context";

  /// Receives the hints; must not block.
  public interface Watcher {
    /// @param thread the thread that was opened; empty where threads are created with a message
    void opened(String team, String channel, Optional<String> thread);

    /// @param user the user who pressed Slack's stop button
    void stopped(SlackPlace place, String user);

    /// @param channel the channel the user has open; empty for none
    void looksAt(String team, String user, Optional<String> channel);
  }

  private final Function<JsonNode, Optional<String>> teamOf;
  private final Watcher watcher;

  /// @param teamOf finds the receiving workspace from the body of a request
  SlackAgentEvents(Function<JsonNode, Optional<String>> teamOf, Watcher watcher) {
    this.teamOf = teamOf;
    this.watcher = watcher;
  }

  /// @return empty for events outside the agent view; a message may belong to both
  Optional<WebhookResult> read(JsonNode body, Instant arrivedAt) {
    var event = body.path("event");
    var team = teamOf.apply(body);
    switch (text(event, "type")) {
      case STOPPED -> {
        return Optional.of(
            team.flatMap(it -> stopped(body, it, arrivedAt)).orElse(SlackPayloads.NOISE));
      }
      case STARTED, CONTEXT_OF_THREAD -> {
        team.ifPresent(it -> thread(event, it));
        return Optional.of(SlackPayloads.NOISE);
      }
      case CONTEXT -> {
        team.ifPresent(it -> looks(body, it, event.path("context")));
        return Optional.of(SlackPayloads.NOISE);
      }
      case HOME -> {
        if (!text(event, "tab").equals("messages")) {
          return Optional.empty();
        }
        team.ifPresent(
            it -> {
              looks(body, it, event.path("context"));
              id(event, "channel")
                  .ifPresent(channel -> watcher.opened(it, channel, Optional.empty()));
            });
        return Optional.of(SlackPayloads.NOISE);
      }
      case "message" -> {
        // Slack's event for a new thread title, not a message from a person.
        if (text(event.path("message"), "subtype").equals("assistant_app_thread")) {
          return Optional.of(SlackPayloads.NOISE);
        }
        if (event.path("app_context").isObject()) {
          team.ifPresent(it -> looks(body, it, event.path("app_context")));
        }
        return Optional.empty();
      }
      default -> {
        return Optional.empty();
      }
    }
  }

  /// Has the same effect as the word "stop": stops the run in the thread.
  private Optional<WebhookResult> stopped(JsonNode body, String team, Instant arrivedAt) {
    var event = body.path("event");
    var channel = id(event, "channel");
    var thread = id(event, "thread_ts");
    var user = id(event, "user");
    if (channel.isEmpty() || thread.isEmpty() || user.isEmpty()) {
      return Optional.empty();
    }
    var place = new SlackPlace(team, channel.get(), thread.get());
    var meaning =
        "stopped:%s/%s/%s/%s"
            .formatted(team, channel.get(), thread.get(), id(event, "event_ts").orElse(""));
    watcher.stopped(place, user.get());
    return Optional.of(
        new WebhookResult.Accepted(
            new Delivery(
                DeliveryId.of(SlackPlace.SURFACE, id(body, "event_id").orElse(meaning)),
                meaning,
                place.conversation(),
                SlackPayloads.actor(user.get(), ""),
                new Intent.Cancel(Optional.empty(), Optional.empty()),
                true,
                Origin.NONE,
                arrivedAt),
            SlackPayloads.TAKEN));
  }

  private void thread(JsonNode event, String team) {
    var thread = event.path("assistant_thread");
    id(thread, "user_id")
        .ifPresent(
            user ->
                watcher.looksAt(
                    team, user, id(thread.path("context"), "channel_id").filter(it -> isRoom(it))));
    var channel = id(thread, "channel_id");
    var ts = id(thread, "thread_ts");
    if (text(event, "type").equals(STARTED) && channel.isPresent() && ts.isPresent()) {
      watcher.opened(team, channel.get(), ts);
    }
  }

  /// Slack lists the most relevant entity first.
  private void looks(JsonNode body, String team, JsonNode context) {
    var channel =
        StreamSupport.stream(context.path("entities").spliterator(), false)
            .flatMap(SlackAgentEvents::channel)
            .findFirst();
    user(body).ifPresent(user -> watcher.looksAt(team, user, channel));
  }

  private static Stream<String> channel(JsonNode entity) {
    var found =
        switch (text(entity, "type")) {
          case CHANNEL -> id(entity, "value");
          case MESSAGE -> id(entity.path("value"), "channel_id");
          default -> Optional.<String>empty();
        };
    return found.filter(SlackAgentEvents::isRoom).stream();
  }

  /// Whether it is a channel, not the direct message with the bot.
  private static boolean isRoom(String channel) {
    return !channel.startsWith("D");
  }

  private static Optional<String> user(JsonNode body) {
    return id(body.path("event"), "user")
        .or(
            () ->
                StreamSupport.stream(body.path("authorizations").spliterator(), false)
                    .filter(it -> !it.path("is_bot").asBoolean())
                    .flatMap(it -> id(it, "user_id").stream())
                    .findFirst());
  }
}
