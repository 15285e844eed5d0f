package dev.runnel.surface.slack.receive;

import static dev.runnel.surface.slack.model.SlackJson.id;
import static dev.runnel.surface.slack.model.SlackJson.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.slack.api.Slack;
import com.slack.api.model.Message;
import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.json.BoundedJson;
import dev.runnel.json.Projection;
import dev.runnel.json.RefusedJsonException;
import dev.runnel.surface.slack.model.SharedFile;
import dev.runnel.surface.slack.model.SharedMessage;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackText;
import dev.runnel.surface.slack.render.SlackTexts;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/// Parses verified requests. An unexpected payload is ignored with a 200, because an error would
/// only make Slack resend it.
public final class SlackPayloads {
  private static final Set<String> INTERACTIONS =
      Set.of(
          "block_actions",
          "block_suggestion",
          "message_action",
          "shortcut",
          "view_closed",
          "view_submission");
  private static final Set<String> FORM_FIELDS =
      Set.of(
          "channel_id",
          "command",
          "payload",
          "response_url",
          "ssl_check",
          "team_id",
          "text",
          "trigger_id",
          "user_id",
          "user_name");
  static final Reply EMPTY_OK = Reply.empty(200);
  static final WebhookResult IGNORED = new WebhookResult.Answered(EMPTY_OK);

  private final SlackConfig config;
  private final Function<String, Optional<SlackIdentity>> identity;
  private final BiConsumer<String, Instant> uninstalled;
  private final SlackMessageChanges messageChanges;
  private final SlackPermalinks links;
  private final SlackWatch watch;
  private final SlackAgentEvents agentView;
  private final InteractionShape shape;
  private final BoltApp bolt;

  /// @param identity the bot's identity by workspace, once known; the workspace is empty when a
  ///   request names none. Must return at once
  /// @param uninstalled called when a workspace uninstalls the app; must not block
  /// @param agentView receives hints from Slack's agent view
  public SlackPayloads(
      SlackConfig config,
      Slack slack,
      Function<String, Optional<SlackIdentity>> identity,
      BiConsumer<String, Instant> uninstalled,
      SlackAgentEvents.Watcher agentView) {
    this.config = config;
    this.identity = identity;
    this.uninstalled = uninstalled;
    this.messageChanges = new SlackMessageChanges(config.behavior());
    this.links = new SlackPermalinks(identity);
    this.watch = new SlackWatch(config.behavior().watched(), links);
    this.agentView = new SlackAgentEvents(agentView);
    this.shape = new InteractionShape(this::ownTeam, this::replyTo);
    this.bolt =
        new BoltApp(slack, new SlackEntryPoints(links), new SlackSubmissions(this::replyTo, links));
  }

  /// Loads Bolt before the first request.
  public void start() {
    bolt.start();
  }

  public WebhookResult read(RawRequest request) {
    try {
      return isJson(request.body())
          ? readJson(BoundedJson.object(request.body(), Projection.ALL), request)
          : readForm(form(request.body()), request);
    } catch (RefusedJsonException refused) {
      return WebhookResult.Rejected.with(400, refused.why());
    } catch (IllegalArgumentException e) {
      return WebhookResult.Rejected.with(400, "unreadable body");
    }
  }

  private static boolean isJson(byte[] body) {
    for (var each : body) {
      if (!Character.isWhitespace(each)) {
        return each == '{';
      }
    }
    return false;
  }

  /// The fields of a form that are read; of several with one name, the first.
  static Map<String, String> form(byte[] body) {
    Map<String, String> fields = new HashMap<>();
    var text = new String(body, StandardCharsets.UTF_8);
    for (int begin = 0; begin < text.length(); ) {
      var next = text.indexOf('&', begin);
      var end = next < 0 ? text.length() : next;
      var equals = text.indexOf('=', begin, end);
      if (equals > begin) {
        var name = decode(text.substring(begin, equals));
        if (FORM_FIELDS.contains(name) && !fields.containsKey(name)) {
          fields.put(name, decode(text.substring(equals + 1, end)));
        }
      }
      begin = end + 1;
    }
    return fields;
  }

  private static String decode(String text) {
    // The decoder copies whatever it is given.
    return text.indexOf('%') < 0 && text.indexOf('+') < 0
        ? text
        : URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private WebhookResult readJson(JsonNode body, RawRequest request) {
    return switch (text(body, "type")) {
      case "event_callback" ->
          SlackEvent.of(body, identity, request.arrivedAt()).map(this::event).orElse(IGNORED);
      case "url_verification" -> bolt.handshake(request);
      default -> IGNORED;
    };
  }

  private WebhookResult readForm(Map<String, String> form, RawRequest request)
      throws RefusedJsonException {
    var payload = form.get("payload");
    if (payload != null) {
      return interaction(BoundedJson.object(payload, Projection.ALL), request.arrivedAt());
    }
    if (form.containsKey("command")) {
      return slashCommand(form, request.arrivedAt());
    }
    if ("1".equals(form.get("ssl_check"))) {
      return bolt.handshake(request);
    }
    throw new IllegalArgumentException("Neither a command nor a payload");
  }

  /// Bolt logs the whole payload of types that it does not know.
  private WebhookResult interaction(JsonNode payload, Instant arrivedAt) {
    return INTERACTIONS.contains(text(payload, "type"))
        ? bolt.interaction(shape.of(payload), arrivedAt)
        : IGNORED;
  }

  static WebhookResult result(Optional<Delivery> delivery) {
    return delivery.map(SlackPayloads::accepted).orElse(IGNORED);
  }

  static WebhookResult accepted(Delivery delivery) {
    return new WebhookResult.Accepted(delivery, EMPTY_OK);
  }

  private WebhookResult slashCommand(Map<String, String> form, Instant arrivedAt) {
    if (form.getOrDefault("command", "").startsWith("//")) {
      return new WebhookResult.Answered(
          privately(
              "Nothing was sent to the agent. To talk without the agent, start a message with"
                  + " `aside`: Slack takes a message that starts with a slash for a command."));
    }
    var intent = MessageParser.command(SlackText.plain(form.getOrDefault("text", "")));
    if (intent instanceof Intent.Help(var verb) && verb.isEmpty()) {
      return new WebhookResult.Answered(
          privately(SlackTexts.help(form.getOrDefault("command", ""))));
    }
    if (intent instanceof Intent.Unclear(String why, var work) && work.isEmpty()) {
      return new WebhookResult.Answered(privately(why));
    }
    var team = id(form.get("team_id")).or(this::ownTeam);
    var channel = id(form.get("channel_id"));
    var user = id(form.get("user_id"));
    var trigger = id(form.get("trigger_id"));
    if (team.isEmpty() || channel.isEmpty() || user.isEmpty() || trigger.isEmpty()) {
      return new WebhookResult.Answered(
          privately("Slack did not send all of your command. Please try again."));
    }
    var starts = intent instanceof Intent.Start;
    var place = SlackPlace.outsideThreads(team.get(), channel.get(), trigger.get());
    return new WebhookResult.Accepted(
        new Delivery(
            DeliveryId.of(SlackPlace.SURFACE, trigger.get()),
            "slash:" + trigger.get(),
            place.conversation(),
            actor(user.get(), form.getOrDefault("user_name", "")),
            intent,
            true,
            new Origin(
                Optional.empty(),
                replyTo(form.getOrDefault("response_url", "")),
                Optional.empty(),
                starts || intent instanceof Intent.Link),
            arrivedAt),
        starts ? privately("On it. Watch the thread in this channel.") : EMPTY_OK);
  }

  /// Reads a listed message as if it had been delivered as an event.
  public Optional<Delivery> listed(
      String team, String channel, Message message, Instant arrivedAt) {
    var event =
        new SlackEvent(
            Optional.empty(),
            team,
            SlackEvent.ownUsers(identity, team),
            arrivedAt,
            SlackEvent.Posted.of(channel, message));
    return event(event) instanceof WebhookResult.Accepted(var delivery, _)
        ? Optional.of(delivery)
        : Optional.empty();
  }

  private WebhookResult event(SlackEvent event) {
    return switch (event.content()) {
      case SlackEvent.Posted posted -> {
        posted.openChannel().ifPresent(it -> agentView.channelViewed(event, it));
        yield result(posted(event, posted).or(() -> watch.read(event, posted)));
      }
      case SlackEvent.Changed changed -> {
        changed.openChannel().ifPresent(it -> agentView.channelViewed(event, it));
        yield result(SlackMessageChanges.changed(event, changed));
      }
      case SlackEvent.Reacted reacted -> result(messageChanges.reacted(event, reacted));
      case SlackEvent.HomeOpened opened -> result(SlackEntryPoints.home(event, opened));
      case SlackEvent.Stopped stopped -> result(agentView.stopped(event, stopped));
      case SlackEvent.Viewed viewed -> {
        agentView.viewed(event, viewed);
        yield IGNORED;
      }
      case SlackEvent.StepExecuted step -> result(SlackSteps.executed(event, step));
      case SlackEvent.Uninstalled(var at) -> {
        uninstalled.accept(event.team(), at.orElse(event.arrivedAt()));
        yield IGNORED;
      }
      case SlackEvent.Other _ -> IGNORED;
    };
  }

  /// Reads a new message. A mention arrives as a `message` and as an `app_mention`, in either
  /// order, and both must mean the same, so only fields that both carry are used.
  private Optional<Delivery> posted(SlackEvent event, SlackEvent.Posted posted) {
    var message = posted.message();
    var channel = posted.channel();
    var ts = message.ts();
    var user = message.user();
    var own = event.ownUsers();
    if (!posted.isFromPerson()
        || channel.isEmpty()
        || ts.isEmpty()
        || user.isEmpty()
        || message.hasInvalidThread()
        || own.contains(user.get())) {
      return Optional.empty();
    }
    var place = new SlackPlace(event.team(), channel.get(), message.thread().orElse(ts.get()));
    var mrkdwn = message.textOrEmpty();
    var addressed = posted.isMention() || place.isDirect() || SlackText.mentions(mrkdwn, own);
    var isReply = !place.thread().equals(ts.get());
    var text =
        SharedMessage.requestText(
            SharedFile.requestText(
                SlackText.plain(SlackText.withoutMentions(mrkdwn, own)), posted.files()),
            posted.shared());
    // A message that mentions only other users addresses them.
    if (!addressed && (!isReply || text.isBlank() || SlackText.mentionsOthers(mrkdwn, own))) {
      return Optional.empty();
    }
    return MessageParser.words(text, addressed)
        .map(intent -> SharedFile.naming(intent, posted.files()))
        .map(intent -> SharedMessage.quoting(intent, posted.shared()))
        .map(
            intent ->
                event
                    .delivery(
                        meaning(event.team(), channel.get(), ts.get()),
                        place,
                        user.get(),
                        intent,
                        addressed,
                        new Origin(
                            links.of(place, ts.get()),
                            Optional.empty(),
                            Optional.of(place.message(ts.get()).ref()),
                            false))
                    .withSnapshot(saidAt(ts.get())));
  }

  private static Snapshot saidAt(String ts) {
    return new Snapshot(Optional.of(SlackPlace.at(ts)), Optional.empty(), Optional.empty());
  }

  /// The semantic key of a message.
  static String meaning(String team, String channel, String ts) {
    return "message:" + team + "/" + channel + "/" + ts;
  }

  private Optional<String> ownTeam() {
    return identity.apply("").map(SlackIdentity::team);
  }

  private Optional<String> replyTo(String address) {
    try {
      return address.isBlank() || !config.isOurs(URI.create(address))
          ? Optional.empty()
          : Optional.of(address);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  static Actor actor(String id, String name) {
    return new Actor(id, name.isBlank() ? id : name);
  }

  private Reply privately(String text) {
    return Reply.json(
        200,
        JsonNodeFactory.instance
            .objectNode()
            .put("response_type", "ephemeral")
            .put("text", text)
            .toString());
  }
}
