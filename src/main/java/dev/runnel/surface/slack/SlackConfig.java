package dev.runnel.surface.slack;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// How to talk with one Slack workspace over HTTP.
///
/// @param signingSecrets all valid at once, so that they can be rotated without an outage
/// @param apiUrl the Web API's base, ending in `/api/`
/// @param habits what signs we set, and whom we listen to
/// @param command the slash command's name as people type it, for help texts
public record SlackConfig(
    List<String> signingSecrets, String botToken, URI apiUrl, String command, SlackHabits habits) {
  static final String SIGNING_SECRET = "SLACK_SIGNING_SECRET";
  static final String BOT_TOKEN = "SLACK_BOT_TOKEN";
  static final String API_URL = "SLACK_API_URL";

  private static final String DEFAULT_API_URL = "https://slack.com/api/";
  private static final String DEFAULT_COMMAND = "/agent";
  // What a header can carry: a line break pasted along with a token fails here, not at a call.
  private static final Pattern TOKEN = Pattern.compile("[!-~]+");

  public SlackConfig(List<String> signingSecrets, String botToken, URI apiUrl, String command) {
    this(signingSecrets, botToken, apiUrl, command, SlackHabits.USUAL);
  }

  public SlackConfig {
    signingSecrets = List.copyOf(signingSecrets);
    if (signingSecrets.isEmpty() || signingSecrets.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          SIGNING_SECRET + " needs the app's signing secret, or several separated by commas.");
    }
    if (!TOKEN.matcher(botToken).matches()) {
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

  /// Reads the settings by their names.
  ///
  /// @return empty when no setting of Slack's is there
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<SlackConfig> from(Map<String, String> settings) {
    var secrets = settings.getOrDefault(SIGNING_SECRET, "").strip();
    var token = settings.getOrDefault(BOT_TOKEN, "").strip();
    if (secrets.isEmpty() && token.isEmpty()) {
      return Optional.empty();
    }
    if (secrets.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is missing, while %s is set. It is under Basic Information in the app's settings."
              .formatted(SIGNING_SECRET, BOT_TOKEN));
    }
    if (token.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is missing, while %s is set. It is under OAuth & Permissions in the app's settings."
              .formatted(BOT_TOKEN, SIGNING_SECRET));
    }
    return Optional.of(
        new SlackConfig(
            Arrays.stream(secrets.split(",", -1)).map(String::strip).toList(),
            token,
            apiUrl(settings.getOrDefault(API_URL, "").strip()),
            DEFAULT_COMMAND,
            SlackHabits.from(settings)));
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

  /// Whether an address that came in a payload is Slack's own, so that we may post to it.
  boolean isOurs(URI address) {
    var host = address.getHost();
    var api = apiUrl.getHost();
    return host != null
        && apiUrl.getScheme().equals(address.getScheme())
        && (host.equals(api) ? apiUrl.getPort() == address.getPort() : host.endsWith("." + api));
  }

  @Override
  public String toString() {
    return "SlackConfig[apiUrl=" + apiUrl + ", command=" + command + ", secrets withheld]";
  }
}
