package dev.runnel.surface.slack.receive;

import static dev.runnel.surface.slack.model.SlackJson.absent;
import static dev.runnel.surface.slack.model.SlackJson.first;
import static dev.runnel.surface.slack.model.SlackJson.id;
import static dev.runnel.surface.slack.model.SlackJson.isOdd;
import static dev.runnel.surface.slack.model.SlackJson.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.Reply;
import dev.runnel.core.model.Snapshot;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.surface.slack.model.SharedFile;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackText;
import dev.runnel.surface.slack.render.SlackTexts;
import java.io.IOException;
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

/// Parses verified requests. Pure. Anything unexpected in a payload is ignored with a 200, because
/// an error would only make Slack resend it.
public final class SlackPayloads {
  private static final Set<String> SPOKEN = Set.of("file_share", "thread_broadcast");
  private static final Set<String> FOR_BOLT =
      Set.of("view_submission", "view_closed", "block_suggestion", "shortcut", "message_action");
  private static final Set<String> GONE = Set.of("app_uninstalled", "tokens_revoked");
  static final Reply TAKEN = Reply.empty(200);
  static final WebhookResult NOISE = new WebhookResult.Answered(TAKEN);

  private final JsonMapper json = JsonMapper.builder().build();
  private final SlackConfig config;
  private final Function<String, Optional<SlackIdentity>> identity;
  private final BiConsumer<String, Instant> left;
  private final SlackAmendments amendments;
  private final SlackButtons buttons;
  private final SlackPermalinks links;
  private final SlackEntryPoints doors;
  private final SlackSubmissions forms;
  private final SlackAgentEvents agentView;

  /// @param identity the bot's identity by workspace, once known; the workspace is empty when a
  ///   request names none. Must return at once
  /// @param left called when a workspace uninstalls the app; must not block
  /// @param agentView receives hints from Slack's agent view
  public SlackPayloads(
      SlackConfig config,
      Function<String, Optional<SlackIdentity>> identity,
      BiConsumer<String, Instant> left,
      SlackAgentEvents.Watcher agentView) {
    this.config = config;
    this.identity = identity;
    this.left = left;
    this.amendments =
        new SlackAmendments(
            config.habits(), body -> ownUsers(body, team(body).orElse("")), this::team);
    this.buttons = new SlackButtons(this::ownTeam, this::replyTo);
    this.links = new SlackPermalinks(identity);
    this.doors = new SlackEntryPoints(this::ownTeam, this::replyTo, links);
    this.forms = new SlackSubmissions(this::ownTeam, this::replyTo, links);
    this.agentView = new SlackAgentEvents(this::team, agentView);
  }

  /// @return empty for requests that Bolt handles: handshakes, and modals and shortcuts of others
  public Optional<WebhookResult> read(RawRequest request) {
    try {
      return isJson(request.body())
          ? readJson(object(json.readTree(request.body())), request.arrivedAt())
          : readForm(form(request.body()), request.arrivedAt());
    } catch (IOException | IllegalArgumentException e) {
      // The parser's message would quote the body.
      return Optional.of(WebhookResult.Rejected.with(400, "unreadable body"));
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

  private static Map<String, String> form(byte[] body) {
    Map<String, String> fields = new HashMap<>();
    for (var pair : new String(body, StandardCharsets.UTF_8).split("&", -1)) {
      var equals = pair.indexOf('=');
      if (equals > 0) {
        fields.putIfAbsent(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
      }
    }
    return fields;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private static JsonNode object(JsonNode node) {
    if (!node.isObject()) {
      throw new IllegalArgumentException("Not an object");
    }
    return node;
  }

  private Optional<WebhookResult> readJson(JsonNode body, Instant arrivedAt) {
    return switch (text(body, "type")) {
      case "event_callback" -> Optional.of(event(body, arrivedAt));
      case "url_verification" -> Optional.empty();
      default -> Optional.of(NOISE);
    };
  }

  private Optional<WebhookResult> readForm(Map<String, String> form, Instant arrivedAt)
      throws JsonProcessingException {
    var payload = form.get("payload");
    if (payload != null) {
      var interaction = object(json.readTree(payload));
      var type = text(interaction, "type");
      var door = doors.read(interaction, arrivedAt).or(() -> forms.read(interaction, arrivedAt));
      if (door.isPresent()) {
        return door;
      }
      if (type.equals("block_actions")) {
        return Optional.of(buttons.read(interaction, arrivedAt));
      }
      return FOR_BOLT.contains(type) ? Optional.empty() : Optional.of(NOISE);
    }
    if (form.containsKey("command")) {
      return Optional.of(slashCommand(form, arrivedAt));
    }
    if ("1".equals(form.get("ssl_check"))) {
      return Optional.empty();
    }
    throw new IllegalArgumentException("Neither a command nor a payload");
  }

  private WebhookResult slashCommand(Map<String, String> form, Instant arrivedAt) {
    if (form.getOrDefault("command", "").startsWith("//")) {
      return new WebhookResult.Answered(
          privately(
              "Nothing was sent to the agent. To talk beside it, begin a message with `aside`:"
                  + " Slack takes what begins with a slash for a command."));
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
        starts ? privately("On it. Watch the thread in this channel.") : TAKEN);
  }

  /// Reads a listed message as if it had been delivered as an event.
  ///
  /// @param message as listed by the Web API, with its `channel`
  public Optional<Delivery> listed(String team, ObjectNode message, Instant arrivedAt) {
    var body = json.createObjectNode().put("team_id", team);
    body.set("event", message.put("type", "message"));
    return event(body, arrivedAt) instanceof WebhookResult.Accepted(var delivery, _)
        ? Optional.of(delivery)
        : Optional.empty();
  }

  /// Reads a `message` or an `app_mention`. A mention arrives as both, in either order, and both
  /// must mean the same, so only fields that both carry are used.
  private WebhookResult event(JsonNode body, Instant arrivedAt) {
    var ofAgentView = agentView.read(body, arrivedAt);
    if (ofAgentView.isPresent()) {
      return ofAgentView.get();
    }
    var event = body.path("event");
    if (SlackAmendments.isOne(event) || SlackAmendments.isReaction(event)) {
      return amendments.read(body, arrivedAt);
    }
    if (text(event, "type").equals(SlackEntryPoints.HOME_OPENED)) {
      return doors.home(body, team(body), arrivedAt);
    }
    var type = text(event, "type");
    var channel = id(event, "channel");
    var ts = id(event, "ts");
    var user = id(event, "user");
    var team = team(body);
    if (GONE.contains(type)) {
      return gone(team, body, arrivedAt);
    }
    var ownUsers = ownUsers(body, team.orElse(""));
    if (!(type.equals("message") || type.equals("app_mention"))
        || !isSpoken(event)
        || channel.isEmpty()
        || ts.isEmpty()
        || team.isEmpty()
        || user.isEmpty()
        || isOdd(event, "thread_ts")
        || ownUsers.contains(user.get())) {
      return NOISE;
    }
    var thread = id(event, "thread_ts");
    var place = new SlackPlace(team.get(), channel.get(), thread.orElse(ts.get()));
    var said = text(event, "text");
    var addressed =
        type.equals("app_mention") || place.isDirect() || SlackText.mentions(said, ownUsers);
    var isReply = !place.thread().equals(ts.get());
    var files = SharedFile.in(event.path("files"));
    var words =
        SharedFile.wordsFor(SlackText.plain(SlackText.withoutMentions(said, ownUsers)), files);
    // A message that mentions only other users addresses them.
    if (!addressed && (!isReply || words.isBlank() || SlackText.mentionsOthers(said, ownUsers))) {
      return NOISE;
    }
    var meaning = meaning(team.get(), channel.get(), ts.get());
    return MessageParser.words(words, addressed)
        .map(intent -> SharedFile.naming(intent, files))
        .<WebhookResult>map(
            intent ->
                new WebhookResult.Accepted(
                    new Delivery(
                            DeliveryId.of(SlackPlace.SURFACE, id(body, "event_id").orElse(meaning)),
                            meaning,
                            place.conversation(),
                            actor(user.get(), ""),
                            intent,
                            addressed,
                            new Origin(
                                links.of(place, ts.get()),
                                Optional.empty(),
                                Optional.of(place.message(ts.get()).ref()),
                                false),
                            arrivedAt)
                        .about(saidAt(ts.get())),
                    TAKEN))
        .orElse(NOISE);
  }

  private static Snapshot saidAt(String ts) {
    return new Snapshot(Optional.of(SlackPlace.at(ts)), Optional.empty(), Optional.empty());
  }

  /// Handles the uninstallation of the app, or the revocation of its tokens.
  private WebhookResult gone(Optional<String> team, JsonNode body, Instant arrivedAt) {
    var tokens = body.path("event").path("tokens");
    if (team.isPresent() && (tokens.isMissingNode() || !tokens.path("bot").isEmpty())) {
      var at = body.path("event_time");
      left.accept(team.get(), at.canConvertToInt() ? Instant.ofEpochSecond(at.asInt()) : arrivedAt);
    }
    return NOISE;
  }

  /// The workspace whose token receives the event. In a shared channel (Slack Connect), `team_id`
  /// may be another one.
  private Optional<String> team(JsonNode body) {
    return id(first(body.path("authorizations")), "team_id")
        .or(() -> id(body, "team_id"))
        .or(this::ownTeam);
  }

  /// The semantic key of a message.
  static String meaning(String team, String channel, String ts) {
    return "message:" + team + "/" + channel + "/" + ts;
  }

  /// Whether it is a new message from a person: not an edit, a deletion, a "joined the channel" or
  /// a bot's message.
  private static boolean isSpoken(JsonNode event) {
    var subtype = event.path("subtype");
    return (absent(subtype) || SPOKEN.contains(subtype.asText()))
        && absent(event.path("bot_id"))
        && !event.path("hidden").asBoolean();
  }

  private Set<String> ownUsers(JsonNode body, String team) {
    var authorization = first(body.path("authorizations"));
    return Optional.of(authorization)
        .filter(it -> it.path("is_bot").asBoolean())
        .flatMap(it -> id(it, "user_id"))
        .or(() -> identity.apply(team).map(SlackIdentity::userId))
        .map(Set::of)
        .orElse(Set.of());
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
        json.createObjectNode().put("response_type", "ephemeral").put("text", text).toString());
  }
}
