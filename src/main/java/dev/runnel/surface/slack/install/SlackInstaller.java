package dev.runnel.surface.slack.install;

import dev.runnel.surface.PlatformPage.Html;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackGrant;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackClient;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Installs the app in a workspace (OAuth): redirects to Slack's page, and exchanges the code that
/// comes back for a token. Tokens never appear in a URL, on a page or in a log.
public record SlackInstaller(
    SlackConfig config,
    SlackClient client,
    SlackApi api,
    InstalledWorkspaces workspaces,
    OAuthState states,
    String publicUrl,
    InstantSource clock) {
  public static final String INSTALL = "/slack/install";
  public static final String REDIRECT = "/slack/oauth_redirect";
  public static final String COOKIE = "runnel_slack_install";

  private static final Logger log = LoggerFactory.getLogger(SlackInstaller.class);
  private static final Optional<SlackPage.Button> START_AGAIN =
      Optional.of(new SlackPage.Button("Start again", INSTALL));

  /// `GET /slack/install`: redirects to Slack.
  public Html install() {
    var cookie = states.cookie();
    var question =
        Map.of(
                "client_id", client.id(),
                "scope", String.join(",", SlackScopes.needed()),
                "redirect_uri", redirectUri().toString(),
                "state", states.begin(cookie))
            .entrySet()
            .stream()
            .map(it -> it.getKey() + "=" + encoded(it.getValue()))
            .sorted()
            .collect(Collectors.joining("&"));
    return SlackPage.redirect(
        config.apiUrl().resolve("../oauth/v2/authorize?" + question),
        Map.of("Set-Cookie", setCookie(cookie, OAuthState.LIFE.toSeconds())));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private URI redirectUri() {
    return URI.create(publicUrl + REDIRECT);
  }

  private String setCookie(String value, long seconds) {
    return "%s=%s; Path=%s; Max-Age=%d; HttpOnly; SameSite=Lax%s"
        .formatted(
            COOKIE, value, REDIRECT, seconds, publicUrl.startsWith("https:") ? "; Secure" : "");
  }

  /// `GET /slack/oauth_redirect`: the redirect back from Slack.
  ///
  /// @param query the URL's query parameters
  /// @param cookie the value of [#COOKIE]; may be empty
  public Html redirected(Map<String, String> query, String cookie) {
    var page = result(query, cookie);
    var headers = new HashMap<>(page.headers());
    headers.put("Set-Cookie", setCookie("", 0));
    return new Html(page.status(), headers, page.html());
  }

  private Html result(Map<String, String> query, String cookie) {
    var error = query.getOrDefault("error", "");
    if (error.equals("access_denied")) {
      return page(
          200, "Nothing was installed", "You cancelled the installation. Nothing was changed.");
    }
    if (!error.isEmpty()) {
      return page(400, "Slack did not install the app", errorText(error));
    }
    try {
      if (!states.end(query.getOrDefault("state", ""), cookie)) {
        return page(
            400,
            "This installation cannot be completed",
            "It began in another browser or more than ten minutes ago, or it is done already."
                + " Nothing changed.");
      }
      return switch (api.install(client, query.getOrDefault("code", ""), redirectUri())) {
        case SlackResponse.Ok<SlackGrant>(SlackGrant grant) -> granted(grant);
        case SlackResponse.Wait<SlackGrant>(_, String why) -> {
          log.warn("slack installation not completed why=\"{}\"", why);
          yield page(502, "Slack did not respond", "Please try again in a minute.");
        }
        case SlackResponse.No<SlackGrant>(String code) -> {
          log.warn("slack installation refused error={}", code);
          yield page(502, "Slack did not install the app", explanation(code));
        }
      };
    } catch (SQLException e) {
      log.warn("slack installation not saved why={}", e.toString());
      return page(
          503, "The installation could not be stored", "Runnel's database does not respond.");
    }
  }

  private Html granted(SlackGrant grant) throws SQLException {
    if (grant.wholeOrganisation()) {
      return page(
          400,
          "Please choose one workspace",
          "Runnel cannot be installed in a whole organisation at once. Install it in each"
              + " workspace.");
    }
    if (grant.team().isEmpty() || grant.token().isEmpty()) {
      log.warn("slack installation without a team or a bot token");
      return page(502, "Slack did not install the app", "Slack issued no token. Please try again.");
    }
    var installation = Installation.of(grant, identity(grant), clock.instant());
    workspaces.install(installation);
    if (!config.accepts(grant.team())) {
      log.warn(
          "slack workspace not served, not accepted by the operator team={} to_serve_it=\"add it to"
              + " policy.installations.slack\"",
          grant.team());
      return notAccepted(grant, installation);
    }
    return done(grant, installation);
  }

  /// The bot's identity from `auth.test`; if that call fails, from the grant, which has the main
  /// parts.
  private SlackIdentity identity(SlackGrant grant) {
    return api.with(grant.token(), SlackResponse.No::new).identity()
                instanceof SlackResponse.Ok<SlackIdentity>(SlackIdentity found)
            && found.team().equals(grant.team())
        ? found
        : new SlackIdentity(grant.team(), grant.botUser(), "", "", Optional.empty());
  }

  /// Anybody can install the app; the operator decides which workspaces are served.
  private static Html notAccepted(SlackGrant grant, Installation installation) {
    return SlackPage.of(
        200,
        "One step is left for " + installation.name(),
        """
        <p>The app is installed, and Runnel does not serve the workspace yet: whoever runs Runnel has to accept it.
        Give them the workspace's id, to add to <code>policy.installations.slack</code>:</p>
        <p><code>%s</code></p>\
        """
            .formatted(SlackPage.escape(grant.team())),
        Optional.empty());
  }

  private Html done(SlackGrant grant, Installation installation) {
    var bot = installation.identity().userName();
    var open = config.apiUrl().resolve("../app_redirect");
    return SlackPage.of(
        200,
        "Runnel is in " + installation.name(),
        """
        <p>Now, in Slack:</p>
        <ol>
        <li>Go to a channel and type <code>/invite @%1$s</code></li>
        <li>Then type <code>%2$s fix the flaky test</code>, or whatever there is to do</li>
        </ol>
        <p><code>%2$s help</code> shows the rest.</p>\
        """
            .formatted(SlackPage.escape(bot.isEmpty() ? "agent" : bot), SlackConfig.COMMAND),
        grant.app().isEmpty()
            ? Optional.empty()
            : Optional.of(
                new SlackPage.Button(
                    "Open Slack",
                    "%s?app=%s&team=%s"
                        .formatted(open, encoded(grant.app()), encoded(grant.team())))));
  }

  private static String explanation(String code) {
    return switch (code) {
      case "invalid_code", "code_already_used", "code_expired" ->
          "The authorization code was already used, or has expired.";
      case "bad_client_secret", "invalid_client_id" ->
          "It does not know this app. Whoever runs Runnel should check SLACK_CLIENT_ID and"
              + " SLACK_CLIENT_SECRET.";
      case "bad_redirect_uri" ->
          "It does not know this address. Whoever runs Runnel should add it to the Redirect URLs in"
              + " the app's settings.";
      case "no_scopes", "invalid_scope" -> "The app requests scopes that Slack does not grant.";
      default -> errorText(code);
    };
  }

  private static String errorText(String code) {
    return "Slack's error: " + (code.length() > 100 ? code.substring(0, 100) + "…" : code);
  }

  private static Html page(int status, String title, String text) {
    return SlackPage.of(status, title, "<p>" + SlackPage.escape(text) + "</p>", START_AGAIN);
  }
}
