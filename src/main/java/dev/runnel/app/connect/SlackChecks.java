package dev.runnel.app.connect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.app.connect.Network.Answer;
import dev.runnel.app.connect.Network.Call;
import dev.runnel.app.connect.Step.Found;
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

/// Tries the parts of a connection to Slack.
final class SlackChecks {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String USUAL_API = "https://slack.com/api/";
  private static final String OK = "ok";

  /// What Slack sends when it checks an address.
  private static final String CHALLENGE = "runnel-connect";

  private SlackChecks() {}

  static Found bot(Facts facts, Network network) {
    return api(facts)
        .tried(
            () -> {
              var answer =
                  call(facts, network, "auth.test", SlackGuide.BOT_TOKEN, JSON.createObjectNode());
              var body = JSON.readTree(answer.body());
              if (!body.path(OK).asBoolean()) {
                return new Found.Fails(
                    "Slack refuses the bot token (%s).".formatted(error(body)),
                    "Copy the Bot User OAuth Token of the installed app, under OAuth &"
                        + " Permissions.");
              }
              var missing = missingScopes(answer);
              if (!missing.isEmpty()) {
                return new Found.Fails(
                    "The app lacks scopes: %s.".formatted(String.join(", ", missing)),
                    "Paste the output of ./runnel manifest under App Manifest in the app's"
                        + " settings, and install the app again.");
              }
              return new Found.Works(body.path("team").asText("Slack"));
            });
  }

  private static List<String> missingScopes(Answer answer) {
    var granted = answer.headers().get("x-oauth-scopes");
    if (granted == null) {
      return List.of();
    }
    var missing = new ArrayList<>(SlackScopes.needed());
    missing.removeAll(List.of(granted.split("\\s*,\\s*", -1)));
    return missing;
  }

  static Found socket(Facts facts, Network network) {
    return api(facts)
        .tried(
            () -> {
              var body =
                  read(
                      facts,
                      network,
                      "apps.connections.open",
                      SlackGuide.APP_TOKEN,
                      JSON.createObjectNode());
              if (!body.path(OK).asBoolean()) {
                return new Found.Fails(
                    "Slack gives no socket (%s).".formatted(error(body)),
                    "Switch Socket Mode on in the app's settings, and create an app-level token"
                        + " with connections:write under Basic Information.");
              }
              return greeted(network, URI.create(body.path("url").asText()));
            });
  }

  private static Found greeted(Network network, URI socket) {
    try {
      return network.firstMessage(socket).contains("\"hello\"")
          ? new Found.Works("it opens")
          : new Found.Fails(
              "The socket opens, but Slack does not greet.", "Try again in a minute.");
    } catch (IOException e) {
      return new Found.Fails(
          "The socket does not open (%s).".formatted(Network.why(e)),
          "Let web sockets to *.slack.com pass the firewall or proxy, or choose http.");
    }
  }

  /// Sends what Slack sends to check an address, through the public address.
  static Found checkReachability(Facts facts, Network network) {
    var address =
        facts.require(SlackGuide.PUBLIC_URL).replaceFirst("/+$", "") + SlackConfig.EVENTS_PATH;
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
    try {
      var answer =
          network.call(
              new Call(
                  "POST",
                  URI.create(address),
                  Map.of(
                      "Content-Type",
                      "application/json",
                      SlackSignature.TIMESTAMP,
                      seconds,
                      SlackSignature.SIGNATURE,
                      signature),
                  body));
      return answer.status() == 200 && answer.body().contains(CHALLENGE)
          ? new Found.Works("Runnel answers at " + address)
          : GitHubChecks.notUs(address, answer.status(), "Slack");
    } catch (IOException | IllegalArgumentException e) {
      return GitHubChecks.notThere(address, e);
    }
  }

  static Found message(Facts facts, Network network) {
    var channel = facts.require(SlackGuide.CHANNEL);
    return api(facts)
        .tried(
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
                  ? new Found.Works("posted in " + channel)
                  : new Found.Fails(
                      "Slack does not take a message for %s (%s).".formatted(channel, error(body)),
                      "Type /invite @agent in that channel, or name another one.");
            });
  }

  private static JsonNode read(
      Facts facts, Network network, String method, String token, JsonNode body) throws IOException {
    return JSON.readTree(call(facts, network, method, token, body).body());
  }

  private static Answer call(
      Facts facts, Network network, String method, String token, JsonNode body) throws IOException {
    return network.call(
        new Call(
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
    var url = facts.get(SlackGuide.API_URL).orElse(USUAL_API);
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
        "Look at SLACK_API_URL, and at the proxy between Runnel and Slack.");
  }
}
