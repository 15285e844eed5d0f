package dev.runnel.testkit;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.surface.kit.Hmac;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The requests that Slack sends to an app, signed. Who sends them, how often and to which node, is
/// up to the test.
public final class SignedSlack {
  /// How long Slack waits for an answer.
  public static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final JsonMapper JSON = new JsonMapper();

  private final String secret;
  private final InstantSource clock;

  public SignedSlack(String secret) {
    this(secret, InstantSource.system());
  }

  /// Signs as of the time of a clock.
  public SignedSlack(String secret, InstantSource clock) {
    this.secret = secret;
    this.clock = clock;
  }

  /// Somebody typed `/agent TEXT`.
  ///
  /// @param responseUrl where private answers go, if anywhere
  public HttpRequest command(
      URI node,
      String channel,
      String user,
      String trigger,
      String text,
      Optional<URI> responseUrl) {
    var form =
        Map.of(
            "command",
            "/agent",
            "text",
            text,
            "team_id",
            LocalSlack.TEAM,
            "channel_id",
            channel,
            "user_id",
            user,
            "user_name",
            "ann",
            "trigger_id",
            trigger,
            "response_url",
            responseUrl.map(URI::toString).orElse(""));
    var body =
        form.entrySet().stream()
            .map(field -> field.getKey() + "=" + encoded(field.getValue()))
            .collect(Collectors.joining("&"));
    return signed(node, "application/x-www-form-urlencoded", body).build();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// Somebody said something.
  ///
  /// @param type `message` or `app_mention`
  /// @param thread the timestamp of the thread's first message, if it is a reply
  public record Said(
      String type,
      String eventId,
      String channel,
      String user,
      String ts,
      Optional<String> thread,
      String text) {}

  /// @param retry 0 for the first time
  public HttpRequest event(URI node, Said said, int retry) {
    var body = JSON.createObjectNode();
    body.put("type", "event_callback")
        .put("team_id", LocalSlack.TEAM)
        .put("event_id", said.eventId());
    var event = body.putObject("event");
    event
        .put("type", said.type())
        .put("channel", said.channel())
        .put("user", said.user())
        .put("ts", said.ts())
        .put("text", said.text());
    said.thread().ifPresent(thread -> event.put("thread_ts", thread));
    body.putArray("authorizations").addObject().put("user_id", LocalSlack.BOT).put("is_bot", true);
    var request = signed(node, "application/json", body.toString());
    if (retry > 0) {
      request.header("X-Slack-Retry-Num", Integer.toString(retry));
      request.header("X-Slack-Retry-Reason", "http_error");
    }
    return request.build();
  }

  /// Somebody used a shortcut, a button or a form.
  ///
  /// @param payload JSON
  public HttpRequest interaction(URI node, String payload) {
    return signed(node, "application/x-www-form-urlencoded", interaction(payload)).build();
  }

  /// The body of that.
  public static String interaction(String payload) {
    return "payload=" + encoded(payload);
  }

  /// The app was taken out of the workspace.
  public HttpRequest uninstalled(URI node) {
    var body = JSON.createObjectNode();
    body.put("type", "event_callback")
        .put("team_id", LocalSlack.TEAM)
        .put("event_id", "EvGone")
        .put("event_time", Instant.now().getEpochSecond());
    body.putObject("event").put("type", "app_uninstalled");
    return signed(node, "application/json", body.toString()).build();
  }

  /// Somebody pressed the button of Slack's own that stops an agent.
  public HttpRequest stopped(URI node, String channel, String thread, String user) {
    return signed(node, "application/json", stopped(channel, thread, user)).build();
  }

  /// The body of that.
  public static String stopped(String channel, String thread, String user) {
    var body = JSON.createObjectNode();
    body.put("type", "event_callback")
        .put("team_id", LocalSlack.TEAM)
        .put("event_id", "EvStop" + thread);
    var event = body.putObject("event");
    event
        .put("type", "agent_session_stopped")
        .put("channel", channel)
        .put("thread_ts", thread)
        .put("user", user)
        .put("event_ts", Instant.now().getEpochSecond() + ".000100");
    event.putArray("streaming_message_ts");
    return body.toString();
  }

  private HttpRequest.Builder signed(URI node, String type, String body) {
    var timestamp = Long.toString(clock.instant().getEpochSecond());
    return HttpRequest.newBuilder(node.resolve("/slack/events"))
        .timeout(PATIENCE)
        .header("Content-Type", type)
        .header("X-Slack-Request-Timestamp", timestamp)
        .header(
            "X-Slack-Signature",
            "v0="
                + Hmac.hex(
                    secret, ("v0:" + timestamp + ":" + body).getBytes(StandardCharsets.UTF_8)))
        .POST(BodyPublishers.ofString(body));
  }
}
