package dev.runnel.app.connect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.app.connect.Network.Request;
import dev.runnel.app.connect.Network.Response;
import dev.runnel.app.connect.Step.CheckResult;
import dev.runnel.json.BoundedJson;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.slack.install.SlackScopes;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.receive.SlackSignature;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Checks the parts of a connection to Slack.
final class SlackChecks {
  private static final JsonMapper JSON = BoundedJson.mapper().build();
  private static final String DEFAULT_API = "https://slack.com/api/";
  private static final String OK = "ok";

  /// What Slack sends when it checks an address.
  private static final String CHALLENGE = "runnel-connect";

  private SlackChecks() {}

  static CheckResult bot(Facts facts, Network network) {
    return api(facts)
        .attempt(
            () -> {
              var response =
                  call(facts, network, "auth.test", SlackGuide.BOT_TOKEN, JSON.createObjectNode());
              var body = JSON.readTree(response.body());
              if (!body.path(OK).asBoolean()) {
                return new CheckResult.Failed(
                    "Slack refuses the bot token (%s).".formatted(error(body)),
                    "Copy the Bot User OAuth Token of the installed app, under OAuth &"
                        + " Permissions.");
              }
              var missing = missingScopes(response);
              if (!missing.isEmpty()) {
                return new CheckResult.Failed(
                    "The app lacks scopes: %s.".formatted(String.join(", ", missing)),
                    "Paste the output of ./runnel manifest under App Manifest in the app's"
                        + " settings, and install the app again.");
              }
              return new CheckResult.Passed(body.path("team").asText("Slack"));
            });
  }

  private static List<String> missingScopes(Response response) {
    var granted = response.headers().get("x-oauth-scopes");
    if (granted == null) {
      return List.of();
    }
    var missing = new ArrayList<>(SlackScopes.needed());
    missing.removeAll(List.of(granted.split("(?:(?<!\\s)\\s+)?+,\\s*", -1)));
    return missing;
  }

  static CheckResult socket(Facts facts, Network network) {
    return api(facts)
        .attempt(
            () -> {
              var body =
                  read(
                      facts,
                      network,
                      "apps.connections.open",
                      SlackGuide.APP_TOKEN,
                      JSON.createObjectNode());
              if (!body.path(OK).asBoolean()) {
                return new CheckResult.Failed(
                    "Slack opens no socket (%s).".formatted(error(body)),
                    "Switch Socket Mode on in the app's settings, and create an app-level token"
                        + " with connections:write under Basic Information.");
              }
              return greeted(network, URI.create(body.path("url").asText()));
            });
  }

  private static CheckResult greeted(Network network, URI socket) {
    try {
      return network.firstMessage(socket).contains("\"hello\"")
          ? new CheckResult.Passed("it opens")
          : new CheckResult.Failed(
              "The socket opens, but Slack sends no hello.", "Try again in a minute.");
    } catch (IOException e) {
      return new CheckResult.Failed(
          "The socket does not open (%s).".formatted(Network.why(e)),
          "Let the firewall or proxy pass web sockets to *.slack.com, or choose http.");
    }
  }

  /// Sends what Slack sends to check an address, through the public address.
  static CheckResult checkReachability(Facts facts, Network network) {
    var address =
        facts.require(SlackGuide.PUBLIC_URL).replaceFirst("(?<!/)/+$", "")
            + SlackConfig.EVENTS_PATH;
    var body =
        JSON.createObjectNode()
            .put("type", "url_verification")
            .put("challenge", CHALLENGE)
            .toString();
    var seconds = Long.toString(network.now().getEpochSecond());
    var signature =
        "v0="
            + Hmac.hex(
                GitHubChecks.first(facts.require(SlackGuide.SIGNING_SECRET)),
                ("v0:" + seconds + ":").getBytes(StandardCharsets.US_ASCII),
                body.getBytes(StandardCharsets.UTF_8));
    return GitHubChecks.send(
        network,
        address,
        Map.of(SlackSignature.TIMESTAMP, seconds, SlackSignature.SIGNATURE, signature),
        body,
        "Slack",
        it -> it.status() == 200 && it.body().contains(CHALLENGE));
  }

  static CheckResult message(Facts facts, Network network) {
    var channel = facts.require(SlackGuide.CHANNEL);
    return api(facts)
        .attempt(
            () -> {
              var body =
                  read(
                      facts,
                      network,
                      "chat.postMessage",
                      SlackGuide.BOT_TOKEN,
                      JSON.createObjectNode()
                          .put("channel", channel)
                          .put("text", "Runnel is connected. Type `/agent help`."));
              return body.path(OK).asBoolean()
                  ? new CheckResult.Passed("posted in " + channel)
                  : new CheckResult.Failed(
                      "Slack refuses a message to %s (%s).".formatted(channel, error(body)),
                      "Type /invite @agent in that channel, or name another one.");
            });
  }

  private static JsonNode read(
      Facts facts, Network network, String method, String token, JsonNode body) throws IOException {
    return JSON.readTree(call(facts, network, method, token, body).body());
  }

  private static Response call(
      Facts facts, Network network, String method, String token, JsonNode body) throws IOException {
    return network.call(
        new Request(
            "POST",
            address(facts).resolve(method),
            Map.of(
                "Authorization",
                "Bearer " + facts.require(token),
                "Content-Type",
                "application/json; charset=utf-8"),
            body.toString()));
  }

  private static URI address(Facts facts) {
    var url = facts.get(SlackGuide.API_URL).orElse(DEFAULT_API);
    return URI.create(url.endsWith("/") ? url : url + "/");
  }

  private static String error(JsonNode body) {
    return Optional.of(body.path("error").asText(""))
        .filter(it -> !it.isEmpty())
        .orElse("no reason");
  }

  private static PlatformApi api(Facts facts) {
    return new PlatformApi(
        "Slack",
        address(facts).toString(),
        SlackGuide.API_URL,
        "Check SLACK_API_URL, and the proxy between Runnel and Slack.");
  }
}
