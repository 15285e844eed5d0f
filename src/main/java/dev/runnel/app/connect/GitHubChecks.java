package dev.runnel.app.connect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.app.connect.Network.Request;
import dev.runnel.app.connect.Network.Response;
import dev.runnel.app.connect.Step.CheckResult;
import dev.runnel.json.BoundedJson;
import dev.runnel.surface.kit.Hmac;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// Checks the parts of a connection to GitHub.
final class GitHubChecks {
  private static final JsonMapper JSON = BoundedJson.mapper().build();
  private static final String DEFAULT_API = "https://api.github.com";
  private static final String PATH = "/webhooks/github";
  private static final List<String> EVENTS =
      List.of(
          "issues",
          "issue_comment",
          "pull_request",
          "pull_request_review",
          "pull_request_review_comment",
          "check_suite");

  /// The number of polls for the delivery of GitHub's ping.
  private static final int MAX_POLLS = 10;

  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private GitHubChecks() {}

  static CheckResult token(Facts facts, Network network) {
    var place = facts.require(GitHubGuide.REPOSITORY);
    return api(facts)
        .attempt(
            () -> {
              var account = call(facts, network, "GET", "/user", null);
              if (account.status() != 200) {
                return refused(account.status());
              }
              var found = call(facts, network, "GET", path(place), null);
              if (found.status() != 200) {
                return new CheckResult.Failed(
                    "The token has no access to %s (status %d).".formatted(place, found.status()),
                    "Check the name. Select the repository in the token's settings, and make the"
                        + " account a collaborator. An organisation may have to approve the"
                        + " token.");
              }
              var repository = JSON.readTree(found.body());
              var learned = new HashMap<String, String>();
              if (repository.path("full_name").isTextual()) {
                learned.put(GitHubGuide.FULL_NAME, repository.path("full_name").asText());
              }
              if (!repository.at("/permissions/push").asBoolean(true)) {
                learned.put(GitHubGuide.MAY_NOT_PUSH, "true");
              }
              return new CheckResult.Passed(
                  "of " + JSON.readTree(account.body()).path("login").asText("somebody"), learned);
            });
  }

  /// Whether the token may read what a clone contains. Without it, everything but the clone works.
  static CheckResult contents(Facts facts, Network network) {
    var repository = facts.require(GitHubGuide.REPOSITORY);
    return api(facts)
        .attempt(
            () -> {
              var branches =
                  call(facts, network, "GET", path(repository) + "/branches?per_page=1", null);
              if (branches.status() != 200) {
                return new CheckResult.Skipped(
                    "The token may not read the contents of %s (status %d)."
                        .formatted(repository, branches.status()),
                    "Change the token on GitHub, and run this command again. "
                        + GitHubGuide.contentsPermission(facts));
              }
              var mayNotPush =
                  facts.get(GitHubGuide.PUSH).filter("yes"::equals).isPresent()
                      && facts.has(GitHubGuide.MAY_NOT_PUSH);
              return new CheckResult.Passed(
                  "the token may read them"
                      + (mayNotPush
                          ? ", but its account may not push: give it the role write"
                          : ""));
            });
  }

  private static CheckResult refused(int status) {
    return new CheckResult.Failed(
        "GitHub refuses the token (status %d).".formatted(status),
        "Copy it again, or create another: it may have expired. On Enterprise Server set"
            + " GITHUB_API_URL.");
  }

  /// Sends a ping as GitHub does, through the public address.
  static CheckResult checkReachability(Facts facts, Network network) {
    var address = address(facts);
    var body = JSON.createObjectNode().put("zen", "Keep it logically awesome.").toString();
    var signature =
        Hmac.hex(first(facts.require(GitHubGuide.SECRET)), body.getBytes(StandardCharsets.UTF_8));
    var headers =
        Map.of(
            "X-GitHub-Event", "ping",
            "X-GitHub-Delivery", "runnel-connect-" + network.now().toEpochMilli(),
            "X-Hub-Signature-256", "sha256=" + signature);
    return send(network, address, headers, body, "GitHub", it -> it.status() / 100 == 2);
  }

  /// Sends a request of the platform through the public address.
  static CheckResult send(
      Network network,
      String address,
      Map<String, String> headers,
      String body,
      String platform,
      Predicate<Response> isExpected) {
    var all = new HashMap<>(headers);
    all.put("Content-Type", "application/json");
    try {
      var response = network.call(new Request("POST", URI.create(address), all, body));
      return isExpected.test(response)
          ? new CheckResult.Passed("Runnel answers at " + address)
          : unexpectedStatus(address, response.status(), platform);
    } catch (IOException | IllegalArgumentException e) {
      return unreachable(address, e);
    }
  }

  /// The newest of several valid secrets.
  static String first(String secrets) {
    return secrets.split(",", 2)[0].strip();
  }

  private static CheckResult unreachable(String address, Exception e) {
    return new CheckResult.Failed(
        "There is no response from %s (%s)."
            .formatted(
                address,
                e instanceof IOException io ? Network.why(io) : String.valueOf(e.getMessage())),
        "Start Runnel with ./runnel. Then check the reverse proxy or tunnel: it must forward to"
            + " Runnel's port. To use another address, give --public-url.");
  }

  /// @param status the status of a response that is not from a Runnel that has the secret
  private static CheckResult unexpectedStatus(String address, int status, String platform) {
    return switch (status) {
      case 401, 403 ->
          new CheckResult.Failed(
              "%s does not accept the signature (status %d).".formatted(address, status),
              "Restart Runnel, so that it uses the new secret. If it already does, another Runnel"
                  + " responds there, or the proxy requires a login.");
      case 404, 405 ->
          new CheckResult.Failed(
              "%s does not exist (status %d).".formatted(address, status),
              "Restart Runnel, so that %s is on. If it already is, let the proxy pass this path."
                  .formatted(platform));
      case 502, 503, 504 ->
          new CheckResult.Failed(
              "The proxy at %s does not reach Runnel (status %d).".formatted(address, status),
              "Start Runnel with ./runnel, and check that the proxy forwards to its port.");
      default ->
          new CheckResult.Failed(
              "%s responds with status %d, unlike Runnel.".formatted(address, status),
              "Check the address: it must be Runnel's own, with https if the proxy redirects.");
    };
  }

  /// Creates the webhook, or updates an existing one.
  static CheckResult hook(Facts facts, Network network) {
    var place = facts.require(GitHubGuide.REPOSITORY);
    var hooks = path(place) + "/hooks";
    return api(facts)
        .attempt(
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
              var saved =
                  existing.isPresent()
                      ? call(facts, network, "PATCH", hooks + "/" + existing.get(), hook)
                      : call(facts, network, "POST", hooks, hook);
              if (saved.status() / 100 != 2) {
                return noHook(facts, saved.status());
              }
              var id = JSON.readTree(saved.body()).path("id").asText();
              return new CheckResult.Passed(
                  existing.isPresent() ? "updated" : "created",
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
                List.of(others.split("(?:(?<!\\s)\\s+)?+,\\s*", -1)).contains(hook)
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

  private static CheckResult noHook(Facts facts, int status) {
    return new CheckResult.Failed(
        "GitHub does not let the token manage webhooks (status %d).".formatted(status),
        "Give it Webhooks: read and write, and its account the role admin. Or add the webhook"
            + " yourself: payload URL %s, content type application/json, the secret of the file"
                .formatted(address(facts))
            + " above (github.webhook_secret), and the events of docs/github.md.");
  }

  /// Lets GitHub send a ping, and reads Runnel's response to it.
  static CheckResult delivery(Facts facts, Network network) {
    var hook =
        path(facts.require(GitHubGuide.REPOSITORY)) + "/hooks/" + facts.require(GitHubGuide.HOOK);
    return api(facts)
        .attempt(
            () -> {
              var before = newest(facts, network, hook);
              var pinged = call(facts, network, "POST", hook + "/pings", null);
              if (pinged.status() / 100 != 2) {
                return noHook(facts, pinged.status());
              }
              for (int poll = 0; poll < MAX_POLLS; poll++) {
                var now = newest(facts, network, hook);
                if (now.isPresent()
                    && !now.map(GitHubChecks::id).equals(before.map(GitHubChecks::id))) {
                  return delivered(facts, now.get().path("status_code").asInt());
                }
                network.pause(POLL_INTERVAL);
              }
              return new CheckResult.Failed(
                  "GitHub has not sent its ping yet.",
                  "Try again in a minute, or read githubstatus.com.");
            });
  }

  private static String id(JsonNode delivery) {
    return delivery.path("id").asText();
  }

  private static CheckResult delivered(Facts facts, int status) {
    if (status / 100 == 2) {
      return new CheckResult.Passed("arrived");
    }
    return status == 0
        ? new CheckResult.Failed(
            "GitHub does not reach %s.".formatted(address(facts)),
            "The address works from here, but not from the internet: open the firewall for GitHub,"
                + " and check that the name is public and the certificate valid.")
        : unexpectedStatus(address(facts), status, "GitHub");
  }

  private static Optional<JsonNode> newest(Facts facts, Network network, String hook)
      throws IOException {
    var listed = call(facts, network, "GET", hook + "/deliveries?per_page=20", null);
    return StreamSupport.stream(JSON.readTree(listed.body()).spliterator(), false)
        .filter(it -> it.path("event").asText().equals("ping"))
        .findFirst();
  }

  private static String address(Facts facts) {
    return facts.require(SlackGuide.PUBLIC_URL).replaceFirst("(?<!/)/+$", "") + PATH;
  }

  private static String path(String place) {
    return place.contains("/") ? "/repos/" + place : "/orgs/" + place;
  }

  private static Response call(
      Facts facts, Network network, String method, String path, @Nullable JsonNode body)
      throws IOException {
    return network.call(
        new Request(
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
    return facts.get(GitHubGuide.API_URL).orElse(DEFAULT_API).replaceFirst("(?<!/)/+$", "");
  }

  private static PlatformApi api(Facts facts) {
    return new PlatformApi(
        "GitHub",
        apiAddress(facts),
        GitHubGuide.API_URL,
        "Check GITHUB_API_URL: on Enterprise Server it ends in /api/v3.");
  }
}
