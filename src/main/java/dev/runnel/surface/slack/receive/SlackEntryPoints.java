package dev.runnel.surface.slack.receive;

import static dev.runnel.surface.slack.model.SlackJson.id;
import static dev.runnel.surface.slack.model.SlackJson.text;
import static dev.runnel.surface.slack.receive.SlackPayloads.actor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackFormNote;
import dev.runnel.surface.slack.model.SlackJson;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackReplyTo;
import dev.runnel.surface.slack.model.SlackText;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/// Reads shortcuts, the Home tab, its buttons, and buttons that open a modal. Pure.
///
/// A modal is opened after the acknowledgement, like any answer. Each has a conversation of its
/// own, so that it waits for nothing: its trigger id expires after three seconds.
final class SlackEntryPoints {
  /// The callback ids of the shortcuts, as in the manifest.
  static final String ASK_ABOUT_MESSAGE = "ask_about_message";

  static final String ASK_AGENT = "ask_agent";
  static final String HOME_OPENED = "app_home_opened";

  private static final Set<String> TYPES = Set.of("shortcut", "message_action");
  private static final int MAX_QUOTE = 2_500;
  private static final Map<String, Level> LEVELS =
      Map.of(
          SlackActionIds.edit(Level.ME), Level.ME,
          SlackActionIds.edit(Level.HERE), Level.HERE,
          SlackActionIds.edit(Level.WORKSPACE), Level.WORKSPACE);

  private final Supplier<Optional<String>> ownTeam;
  private final Function<String, Optional<String>> replyTo;
  private final SlackPermalinks links;

  /// @param ownTeam the workspace of payloads that name none
  /// @param replyTo the response URL, if it is Slack's
  SlackEntryPoints(
      Supplier<Optional<String>> ownTeam,
      Function<String, Optional<String>> replyTo,
      SlackPermalinks links) {
    this.ownTeam = ownTeam;
    this.replyTo = replyTo;
    this.links = links;
  }

  /// Handles the opening of the Home tab; the Messages tab is ignored here.
  ///
  /// @param team the receiving workspace
  WebhookResult home(JsonNode body, Optional<String> team, Instant arrivedAt) {
    var event = body.path("event");
    var user = id(event, "user");
    if (team.isEmpty() || user.isEmpty() || !text(event, "tab").equals("home")) {
      return SlackPayloads.NOISE;
    }
    var meaning =
        "home:%s/%s/%s".formatted(team.get(), user.get(), id(event, "event_ts").orElse(""));
    return accepted(
        new Delivery(
            DeliveryId.of(SlackPlace.SURFACE, id(body, "event_id").orElse(meaning)),
            meaning,
            SlackPlace.home(team.get(), user.get()).conversation(),
            actor(user.get(), ""),
            new Intent.Ask(new Question.Home()),
            true,
            Origin.NONE,
            arrivedAt));
  }

  /// @return empty for interactions that are not handled here
  Optional<WebhookResult> read(JsonNode interaction, Instant arrivedAt) {
    var type = text(interaction, "type");
    if (type.equals("block_actions")) {
      return pressed(interaction, arrivedAt);
    }
    return TYPES.contains(type) ? shortcut(interaction, arrivedAt) : Optional.empty();
  }

  private Optional<WebhookResult> shortcut(JsonNode interaction, Instant arrivedAt) {
    var from = from(interaction);
    return switch (text(interaction, "callback_id")) {
      case ASK_AGENT ->
          Optional.of(
              from.map(
                      it ->
                          opens(
                              it,
                              it.user(),
                              new Question.Compose(Optional.empty(), ""),
                              Origin.NONE,
                              arrivedAt))
                  .orElse(SlackPayloads.NOISE));
      case ASK_ABOUT_MESSAGE ->
          Optional.of(
              from.map(it -> aboutMessage(interaction, it, arrivedAt)).orElse(SlackPayloads.NOISE));
      default -> Optional.empty();
    };
  }

  private WebhookResult aboutMessage(JsonNode interaction, From from, Instant arrivedAt) {
    var message = interaction.path("message");
    var channel = id(interaction.path("channel"), "id");
    var ts = id(message, "ts").or(() -> id(interaction, "message_ts"));
    if (channel.isEmpty() || ts.isEmpty()) {
      return SlackPayloads.NOISE;
    }
    var place =
        new SlackPlace(from.team(), channel.get(), id(message, "thread_ts").orElse(ts.get()));
    var about = SlackText.plain(text(message, "text")).strip();
    return opens(
        from,
        channel.get(),
        new Question.Compose(
            Optional.of(place.conversation()), SlackFormNote.head(about, MAX_QUOTE)),
        new Origin(
            links.of(place, ts.get()),
            Optional.empty(),
            Optional.of(place.message(ts.get()).ref()),
            false),
        arrivedAt);
  }

  private Optional<WebhookResult> pressed(JsonNode interaction, Instant arrivedAt) {
    var action = SlackJson.first(interaction.path("actions"));
    var name = text(action, "action_id");
    var onHome = name.startsWith(SlackActionIds.ON_HOME);
    var what = onHome ? name.substring(SlackActionIds.ON_HOME.length()) : name;
    var level = Optional.ofNullable(LEVELS.get(what));
    if (!onHome && level.isEmpty()) {
      return Optional.empty();
    }
    var from = from(interaction);
    var channel =
        onHome
            ? from.map(From::user)
            : id(interaction.path("channel"), "id")
                .or(() -> id(interaction.path("container"), "channel_id"));
    if (from.isEmpty() || channel.isEmpty()) {
      return Optional.of(SlackPayloads.NOISE);
    }
    var home =
        onHome ? Optional.of(from.get().home().conversation()) : Optional.<Conversation>empty();
    var origin = new Origin(Optional.empty(), Optional.empty(), Optional.empty(), false, home);
    if (level.isPresent()) {
      return Optional.of(
          opens(from.get(), channel.get(), new Question.Edit(level.get()), origin, arrivedAt));
    }
    var run = Optional.of(text(action, "value")).filter(it -> !it.isBlank()).map(RunId::new);
    if (run.isEmpty() && !what.equals(SlackActionIds.NEW_RUN)) {
      return Optional.of(SlackPayloads.NOISE);
    }
    return Optional.of(
        switch (what) {
          case SlackActionIds.NEW_RUN ->
              opens(
                  from.get(),
                  channel.get(),
                  new Question.Compose(Optional.empty(), ""),
                  origin,
                  arrivedAt);
          case SlackActionIds.CANCEL_RUN ->
              aboutRun(from.get(), new Intent.Cancel(run, Optional.empty()), origin, arrivedAt);
          case SlackActionIds.RETRY_RUN ->
              aboutRun(from.get(), new Intent.Retry(run), origin, arrivedAt);
          default -> SlackPayloads.NOISE;
        });
  }

  private static WebhookResult aboutRun(
      From from, Intent intent, Origin origin, Instant arrivedAt) {
    return accepted(
        delivery(
            from,
            "action:",
            from.home(),
            intent,
            from.answers(origin, Optional.empty()),
            arrivedAt));
  }

  /// @param channel a user id stands for direct messages
  private WebhookResult opens(
      From from, String channel, Question form, Origin origin, Instant arrivedAt) {
    return accepted(
        delivery(
            from,
            "form:",
            SlackPlace.form(from.team(), channel, from.trigger()),
            new Intent.Ask(form),
            from.answers(origin, Optional.of(from.trigger())),
            arrivedAt));
  }

  private static Delivery delivery(
      From from, String kind, SlackPlace place, Intent intent, Origin origin, Instant arrivedAt) {
    return new Delivery(
        DeliveryId.of(SlackPlace.SURFACE, from.trigger()),
        kind + from.trigger(),
        place.conversation(),
        actor(from.user(), from.name()),
        intent,
        true,
        origin,
        arrivedAt);
  }

  private static WebhookResult accepted(Delivery delivery) {
    return new WebhookResult.Accepted(delivery, SlackPayloads.TAKEN);
  }

  /// The sender of an interaction; a trigger id is unique per press.
  private record From(
      String team, String user, String name, String trigger, Optional<String> address) {
    SlackPlace home() {
      return SlackPlace.home(team, user);
    }

    Origin answers(Origin origin, Optional<String> opens) {
      return new Origin(
          origin.link(),
          // The Home tab has no response URL; answers go to the user directly.
          Optional.of(
              new SlackReplyTo(opens, origin.home().isPresent() ? Optional.empty() : address)
                  .value()),
          origin.message(),
          false,
          origin.home());
    }
  }

  private Optional<From> from(JsonNode interaction) {
    var user = interaction.path("user");
    var team = id(interaction.path("team"), "id").or(() -> id(user, "team_id")).or(ownTeam);
    var userId = id(user, "id");
    var trigger = id(interaction, "trigger_id");
    return team.isPresent() && userId.isPresent() && trigger.isPresent()
        ? Optional.of(
            new From(
                team.get(),
                userId.get(),
                text(user, "username"),
                trigger.get(),
                replyTo.apply(text(interaction, "response_url"))))
        : Optional.empty();
  }
}
