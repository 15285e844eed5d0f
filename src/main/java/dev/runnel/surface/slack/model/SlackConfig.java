package dev.runnel.surface.slack.model;

import dev.runnel.surface.kit.SettingValues;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The settings of the Slack surface. Requests arrive over HTTP, over Socket Mode, or over both
/// while an app moves from one to the other. The surface serves one workspace, or all that install
/// the app.
///
/// @param signingSecrets all valid at once, so that they can be rotated without an outage; empty
///   when HTTP is off
/// @param appToken the app-level token for Socket Mode; empty when Socket Mode is off
/// @param botToken of the single workspace; empty when many can install the app
/// @param client the OAuth client for installations; empty for a single workspace
/// @param apiUrl the Web API's base URL, ending in `/api/`
/// @param behavior in channels
/// @param prompts the suggested prompts of Slack's agent view
/// @param installations the workspaces that the operator accepted. If empty, only the workspace of
///   the bot token is served, and no workspace that installs the app
public record SlackConfig(
    List<String> signingSecrets,
    Optional<String> appToken,
    Optional<String> botToken,
    Optional<SlackClient> client,
    URI apiUrl,
    SlackBehavior behavior,
    SlackPrompts prompts,
    Set<String> installations) {
  /// The slash command as people type it, for help texts.
  public static final String COMMAND = "/agent";

  /// The request path of everything Slack sends: events, commands, interactions.
  public static final String EVENTS_PATH = "/slack/events";

  static final String SIGNING_SECRET = "SLACK_SIGNING_SECRET";
  static final String APP_TOKEN = "SLACK_APP_TOKEN";
  static final String BOT_TOKEN = "SLACK_BOT_TOKEN";
  static final String CLIENT_ID = "SLACK_CLIENT_ID";
  static final String CLIENT_SECRET = "SLACK_CLIENT_SECRET";
  static final String API_URL = "SLACK_API_URL";
  static final String INSTALLATIONS = "SLACK_INSTALLATIONS";

  private static final String DEFAULT_API_URL = "https://slack.com/api/";
  // Only what a header can carry: a token with a pasted line break fails at start, not at a call.
  private static final Pattern TOKEN = Pattern.compile("[!-~]+");
  private static final Pattern TEAM = Pattern.compile("T[A-Z0-9]+");
  private static final Pattern APP_LEVEL_TOKEN = Pattern.compile("xapp-[!-~]+");

  public SlackConfig {
    signingSecrets = List.copyOf(signingSecrets);
    installations = Set.copyOf(installations);
    if (!installations.stream().allMatch(it -> TEAM.matcher(it).matches())) {
      throw new IllegalArgumentException(
          INSTALLATIONS + " needs the ids of workspaces, such as T012AB.");
    }
    if (signingSecrets.stream().anyMatch(String::isBlank)
        || (signingSecrets.isEmpty() && appToken.isEmpty())) {
      throw new IllegalArgumentException(
          SIGNING_SECRET + " needs the app's signing secret, or several separated by commas.");
    }
    if (appToken.isPresent() && !APP_LEVEL_TOKEN.matcher(appToken.get()).matches()) {
      throw new IllegalArgumentException(
          APP_TOKEN
              + " needs an app-level token (xapp-…), without spaces or line breaks. It is made"
              + " under Basic Information in the app's settings, with the scope"
              + " connections:write.");
    }
    if (botToken.isPresent() == client.isPresent()) {
      throw new IllegalArgumentException(
          BOT_TOKEN + " is for one workspace, " + CLIENT_ID + " for many. Set one of them.");
    }
    if (botToken.isPresent() && !TOKEN.matcher(botToken.get()).matches()) {
      throw new IllegalArgumentException(
          BOT_TOKEN + " needs the app's bot token (xoxb-…), without spaces or line breaks.");
    }
    var scheme = apiUrl.getScheme();
    if (!("https".equals(scheme) || "http".equals(scheme))
        || apiUrl.getHost() == null
        || apiUrl.getQuery() != null
        || !apiUrl.getPath().endsWith("/api/")) {
      throw new IllegalArgumentException(
          API_URL + " needs a web address that ends in /api/, such as " + DEFAULT_API_URL + ".");
    }
  }

  /// Reads the settings by variable name.
  ///
  /// @return empty when none of Slack's settings is set
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<SlackConfig> from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    var secrets = values.text(SIGNING_SECRET);
    var appToken = values.text(APP_TOKEN);
    var token = values.text(BOT_TOKEN);
    var clientId = values.text(CLIENT_ID);
    var clientSecret = values.text(CLIENT_SECRET);
    var client = clientId.or(() -> clientSecret).isPresent();
    if (secrets.or(() -> appToken).isEmpty()) {
      if (token.isEmpty() && !client) {
        return Optional.empty();
      }
      var missing =
          Stream.of(SIGNING_SECRET, CLIENT_ID, CLIENT_SECRET)
              .filter(name -> values.text(name).isEmpty())
              .filter(name -> client || name.equals(SIGNING_SECRET))
              .toList();
      throw new IllegalArgumentException(
          "%s See Basic Information in the app's settings. For Socket Mode set %s instead of %s."
              .formatted(
                  SettingValues.missing(
                      missing,
                      token.isPresent()
                          ? BOT_TOKEN
                          : clientId.isPresent() ? CLIENT_ID : CLIENT_SECRET),
                  APP_TOKEN,
                  SIGNING_SECRET));
    }
    if (token.isEmpty() && !client) {
      throw new IllegalArgumentException(
          "%s It is under OAuth & Permissions in the app's settings. To install the app in many workspaces set %s and %s instead."
              .formatted(
                  SettingValues.missing(
                      List.of(BOT_TOKEN), secrets.isEmpty() ? APP_TOKEN : SIGNING_SECRET),
                  CLIENT_ID,
                  CLIENT_SECRET));
    }
    if (clientId.isPresent() != clientSecret.isPresent()) {
      throw new IllegalArgumentException(
          SettingValues.missing(
                  List.of(clientId.isPresent() ? CLIENT_SECRET : CLIENT_ID),
                  clientId.isPresent() ? CLIENT_ID : CLIENT_SECRET)
              + " Both are under Basic Information in the app's settings.");
    }
    return Optional.of(
        new SlackConfig(
            secrets.map(SlackConfig::several).orElse(List.of()),
            appToken,
            token,
            clientId.map(id -> new SlackClient(id, several(clientSecret.orElseThrow()))),
            apiUrl(values.text(API_URL).orElse("")),
            SlackBehavior.from(settings),
            SlackPrompts.from(settings),
            values.text(INSTALLATIONS).map(SlackConfig::ids).orElse(Set.of())));
  }

  private static List<String> several(String values) {
    return Arrays.stream(values.split(",", -1)).map(String::strip).toList();
  }

  private static Set<String> ids(String values) {
    return several(values).stream().filter(it -> !it.isEmpty()).collect(Collectors.toSet());
  }

  private static URI apiUrl(String text) {
    if (text.isEmpty()) {
      return URI.create(DEFAULT_API_URL);
    }
    try {
      return URI.create(text.endsWith("/") ? text : text + "/");
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(API_URL + " is not a web address.", e);
    }
  }

  /// Whether requests over HTTP can be verified.
  public boolean listens() {
    return !signingSecrets.isEmpty();
  }

  public boolean accepts(String team) {
    return installations.contains(team) || (installations.isEmpty() && client.isEmpty());
  }

  /// Instructions for getting the workspace served.
  public static String toAccept(String team) {
    return "Runnel does not serve this workspace yet. Whoever runs Runnel must accept it: add "
        + team
        + " to policy.installations.slack.";
  }

  /// Whether a URL from a payload belongs to Slack, so that we may post to it.
  public boolean isOurs(URI address) {
    var host = address.getHost();
    var api = apiUrl.getHost();
    return host != null
        && apiUrl.getScheme().equals(address.getScheme())
        && (host.equals(api) ? apiUrl.getPort() == address.getPort() : host.endsWith("." + api));
  }

  @Override
  public String toString() {
    return "SlackConfig[apiUrl=" + apiUrl + ", secrets withheld]";
  }
}
