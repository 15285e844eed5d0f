package dev.runnel.surface.slack.receive;

import static dev.runnel.surface.slack.model.SlackJson.id;
import static dev.runnel.surface.slack.model.SlackJson.text;
import static dev.runnel.surface.slack.receive.SlackPayloads.actor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackJson;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/// Reads button presses under messages. Pure; unknown buttons are ignored.
final class SlackButtons {

  private final Supplier<Optional<String>> ownTeam;
  private final Function<String, Optional<String>> replyTo;

  /// @param ownTeam the workspace of payloads that name none
  /// @param replyTo the response URL, if it is Slack's
  SlackButtons(Supplier<Optional<String>> ownTeam, Function<String, Optional<String>> replyTo) {
    this.ownTeam = ownTeam;
    this.replyTo = replyTo;
  }

  WebhookResult read(JsonNode interaction, Instant arrivedAt) {
    var action = SlackJson.first(interaction.path("actions"));
    var value = text(action, "value");
    if (value.isBlank()) {
      // Without a value the run is unknown: do not guess that it is the conversation's current run.
      return SlackPayloads.NOISE;
    }
    var name = text(action, "action_id");
    if (!Set.of(SlackActionIds.CANCEL_RUN, SlackActionIds.RETRY_RUN, SlackActionIds.START_RUN)
        .contains(name)) {
      return SlackPayloads.NOISE;
    }
    var message = interaction.path("message");
    var container = interaction.path("container");
    var user = interaction.path("user");
    var team = id(interaction.path("team"), "id").or(() -> id(user, "team_id")).or(ownTeam);
    var channel = id(interaction.path("channel"), "id").or(() -> id(container, "channel_id"));
    var ts = id(message, "ts").or(() -> id(container, "message_ts"));
    var inThread = id(message, "thread_ts").or(() -> id(container, "thread_ts"));
    var thread = inThread.or(() -> ts);
    var userId = id(user, "id");
    var pressed = press(interaction, action);
    if (team.isEmpty()
        || channel.isEmpty()
        || thread.isEmpty()
        || userId.isEmpty()
        || pressed.isEmpty()) {
      return SlackPayloads.NOISE;
    }
    var place = new SlackPlace(team.get(), channel.get(), thread.get());
    // Outside a thread it acts as a command, whose run gets a thread of its own.
    var opensThread = name.equals(SlackActionIds.START_RUN) && inThread.isEmpty();
    return new WebhookResult.Accepted(
        new Delivery(
            DeliveryId.of(SlackPlace.SURFACE, pressed),
            "action:" + pressed,
            (opensThread ? SlackPlace.outsideThreads(team.get(), channel.get(), pressed) : place)
                .conversation(),
            actor(userId.get(), text(user, "username")),
            intent(name, value, opensThread),
            true,
            new Origin(
                Optional.empty(),
                replyTo.apply(text(interaction, "response_url")),
                Optional.empty(),
                opensThread),
            arrivedAt),
        SlackPayloads.TAKEN);
  }

  private static Intent intent(String action, String value, boolean opensThread) {
    return switch (action) {
      case SlackActionIds.CANCEL_RUN ->
          new Intent.Cancel(Optional.of(new RunId(value)), Optional.empty());
      case SlackActionIds.RETRY_RUN -> new Intent.Retry(Optional.of(new RunId(value)));
      default -> MessageParser.task(value, opensThread ? Intent.Start::new : Intent.Say::new);
    };
  }

  /// Identifies one press; empty when Slack sent nothing that distinguishes it from another.
  private static String press(JsonNode interaction, JsonNode action) {
    List<String> parts = new ArrayList<>();
    id(interaction, "trigger_id").ifPresent(parts::add);
    id(action, "action_ts").ifPresent(parts::add);
    return String.join(":", parts);
  }
}
