package dev.runnel.app.connect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.app.connect.Network.Answer;
import dev.runnel.app.connect.Network.Call;
import dev.runnel.app.connect.Step.Found;
import dev.runnel.surface.kit.Hmac;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// Tries the parts of a connection to GitHub.
final class GitHubChecks {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String USUAL_API = "https://api.github.com";
  private static final String PATH = "/webhooks/github";
  private static final List<String> EVENTS =
      List.of(
          "issues",
          "issue_comment",
          "pull_request",
          "pull_request_review",
          "pull_request_review_comment",
          "check_suite");

  /// How often, and how long apart, GitHub is asked for the delivery of its ping.
  private static final int LOOKS = 10;

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private GitHubChecks() {}

  static Found token(Facts facts, Network network) {
    var place = facts.require(GitHubGuide.REPOSITORY);
    return api(facts)
        .tried(
            () -> {
              var account = call(facts, network, "GET", "/user", null);
              if (account.status() != 200) {
                return refused(account.status());
              }
              var found = call(facts, network, "GET", path(place), null);
              if (found.status() != 200) {
                return new Found.Fails(
                    "The token does not see %s (status %d).".formatted(place, found.status()),
                    "Check the name. Select the repository in the token's settings, and make the"
                        + " account a collaborator. An organisation may have to approve the"
                        + " token.");
              }
              return new Found.Works(
                  "of " + JSON.readTree(account.body()).path("login").asText("somebody"));
            });
  }

  private static Found refused(int status) {
    return new Found.Fails(
        "GitHub refuses the token (status %d).".formatted(status),
        "Copy it again, or create another: it may have expired. On Enterprise Server set"
            + " GITHUB_API_URL.");
  }

  /// Sends a ping as GitHub does, through the public address.
  static Found checkReachability(Facts facts, Network network) {
    var address = address(facts);
    var body = JSON.createObjectNode().put("zen", "Keep it logically awesome.").toString();
    try {
      var answer =
          network.call(
              new Call(
                  "POST",
                  URI.create(address),
                  Map.of(
                      "Content-Type",
                      "application/json",
                      "X-GitHub-Event",
                      "ping",
                      "X-GitHub-Delivery",
                      "runnel-connect-" + network.now().toEpochMilli(),
                      "X-Hub-Signature-256",
                      "sha256="
                          + Hmac.hex(
                              first(facts.require(GitHubGuide.SECRET)),
                              body.getBytes(StandardCharsets.UTF_8))),
                  body));
      return answer.status() / 100 == 2
          ? new Found.Works("Runnel answers at " + address)
          : notUs(address, answer.status(), "GitHub");
    } catch (IOException | IllegalArgumentException e) {
      return notThere(address, e);
    }
  }

  /// The newest of the secrets that are valid at once.
  static String first(String secrets) {
    return secrets.split(",", 2)[0].strip();
  }

  static Found notThere(String address, Exception e) {
    return new Found.Fails(
        "Nobody answers at %s (%s)."
            .formatted(
                address,
                e instanceof IOException io ? Network.why(io) : String.valueOf(e.getMessage())),
        "Start Runnel with ./runnel. Then look at the reverse proxy or tunnel: it must lead to"
            + " Runnel's port. --public-url names another address.");
  }

  /// @param status what another answered than a Runnel that knows the secret
  static Found notUs(String address, int status, String platform) {
    return switch (status) {
      case 401, 403 ->
          new Found.Fails(
              "%s does not accept the signature (status %d).".formatted(address, status),
              "Restart Runnel, so that it uses the new secret. If it already did, another Runnel"
                  + " answers there, or the proxy asks for a login.");
      case 404, 405 ->
          new Found.Fails(
              "%s is not there (status %d).".formatted(address, status),
              "Restart Runnel, so that %s is on. If it already did, let the proxy pass this path."
                  .formatted(platform));
      case 502, 503, 504 ->
          new Found.Fails(
              "The proxy at %s does not reach Runnel (status %d).".formatted(address, status),
              "Start Runnel with ./runnel, and check that the proxy leads to its port.");
      default ->
          new Found.Fails(
              "%s answers with status %d, not like Runnel.".formatted(address, status),
              "Check the address: it must be Runnel's own, with https if the proxy redirects.");
    };
  }

  /// Creates the webhook, or corrects the one of an earlier try.
  static Found hook(Facts facts, Network network) {
    var place = facts.require(GitHubGuide.REPOSITORY);
    var hooks = path(place) + "/hooks";
    return api(facts)
        .tried(
            () -> {
              var listed = call(facts, network, "GET", hooks + "?per_page=100", null);
              if (listed.status() != 200) {
                return noHook(facts, listed.status());
              }
              var existing =
                  StreamSupport.stream(JSON.readTree(listed.body()).spliterator(), false)
                      .filter(it -> it.at("/config/url").asText().equals(address(facts)))
                      .map(it -> it.path("id").asText())
                      .findFirst();
              var hook = hook(facts);
              var made =
                  existing.isPresent()
                      ? call(facts, network, "PATCH", hooks + "/" + existing.get(), hook)
                      : call(facts, network, "POST", hooks, hook);
              if (made.status() / 100 != 2) {
                return noHook(facts, made.status());
              }
              var id = JSON.readTree(made.body()).path("id").asText();
              return new Found.Works(
                  existing.isPresent() ? "corrected" : "created",
                  Map.of(
                      GitHubGuide.HOOK,
                      id,
                      GitHubGuide.HOOKS,
                      listedHooks(facts, place + "/" + id)));
            });
  }

  private static String listedHooks(Facts facts, String hook) {
    return facts
        .get(GitHubGuide.HOOKS)
        .map(
            others ->
                List.of(others.split("\\s*,\\s*", -1)).contains(hook)
                    ? others
                    : others + "," + hook)
        .orElse(hook);
  }

  private static ObjectNode hook(Facts facts) {
    var hook = JSON.createObjectNode().put("name", "web").put("active", true);
    EVENTS.forEach(hook.putArray("events")::add);
    hook.putObject("config")
        .put("url", address(facts))
        .put("content_type", "json")
        .put("secret", first(facts.require(GitHubGuide.SECRET)));
    return hook;
  }

  private static Found noHook(Facts facts, int status) {
    return new Found.Fails(
        "GitHub does not let the token manage webhooks (status %d).".formatted(status),
        "Give it Webhooks: read and write, and its account the role admin. Or add the webhook"
            + " yourself: payload URL %s, content type application/json, the secret of the file"
                .formatted(address(facts))
            + " above (github.webhook_secret), and the events of docs/github.md.");
  }

  /// Lets GitHub send a ping, and reads how Runnel answered it.
  static Found delivery(Facts facts, Network network) {
    var hook =
        path(facts.require(GitHubGuide.REPOSITORY)) + "/hooks/" + facts.require(GitHubGuide.HOOK);
    return api(facts)
        .tried(
            () -> {
              var before = newest(facts, network, hook);
              var pinged = call(facts, network, "POST", hook + "/pings", null);
              if (pinged.status() / 100 != 2) {
                return noHook(facts, pinged.status());
              }
              for (int look = 0; look < LOOKS; look++) {
                var now = newest(facts, network, hook);
                if (now.isPresent()
                    && !now.map(GitHubChecks::id).equals(before.map(GitHubChecks::id))) {
                  return delivered(facts, now.get().path("status_code").asInt());
                }
                network.pause(BETWEEN_LOOKS);
              }
              return new Found.Fails(
                  "GitHub has not sent its ping yet.",
                  "Try again in a minute, or read githubstatus.com.");
            });
  }

  private static String id(JsonNode delivery) {
    return delivery.path("id").asText();
  }

  private static Found delivered(Facts facts, int status) {
    if (status / 100 == 2) {
      return new Found.Works("arrived");
    }
    return status == 0
        ? new Found.Fails(
            "GitHub does not reach %s.".formatted(address(facts)),
            "The address works from here, but not from the internet: open the firewall for GitHub,"
                + " and check that the name is public and the certificate valid.")
        : notUs(address(facts), status, "GitHub");
  }

  private static Optional<JsonNode> newest(Facts facts, Network network, String hook)
      throws IOException {
    var listed = call(facts, network, "GET", hook + "/deliveries?per_page=20", null);
    return StreamSupport.stream(JSON.readTree(listed.body()).spliterator(), false)
        .filter(it -> it.path("event").asText().equals("ping"))
        .findFirst();
  }

  private static String address(Facts facts) {
    return facts.require(SlackGuide.PUBLIC_URL).replaceFirst("/+$", "") + PATH;
  }

  private static String path(String place) {
    return place.contains("/") ? "/repos/" + place : "/orgs/" + place;
  }

  private static Answer call(
      Facts facts, Network network, String method, String path, @Nullable JsonNode body)
      throws IOException {
    return network.call(
        new Call(
            method,
            URI.create(apiAddress(facts) + path),
            Map.of(
                "Authorization", "Bearer " + facts.require(GitHubGuide.TOKEN),
                "Accept", "application/vnd.github+json",
                "X-GitHub-Api-Version", "2022-11-28",
                "Content-Type", "application/json",
                "User-Agent", "runnel"),
            body == null ? "" : body.toString()));
  }

  private static String apiAddress(Facts facts) {
    return facts.get(GitHubGuide.API_URL).orElse(USUAL_API).replaceFirst("/+$", "");
  }

  private static PlatformApi api(Facts facts) {
    return new PlatformApi(
        "GitHub",
        apiAddress(facts),
        GitHubGuide.API_URL,
        "Look at GITHUB_API_URL: on Enterprise Server it ends in /api/v3.");
  }
}
