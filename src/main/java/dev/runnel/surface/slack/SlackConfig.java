package dev.runnel.surface.slack;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// How to talk with one Slack workspace: Slack calls us (HTTP), or we call Slack (a socket), or
/// both, while an app moves from one to the other.
///
/// @param signingSecrets all valid at once, so that they can be rotated without an outage; none
///     when nothing comes over HTTP
/// @param appToken opens sockets; empty when nothing comes over one
/// @param apiUrl the Web API's base, ending in `/api/`
/// @param command the slash command's name as people type it, for help texts
public record SlackConfig(
    List<String> signingSecrets,
    Optional<String> appToken,
    String botToken,
    URI apiUrl,
    String command) {
  static final String SIGNING_SECRET = "SLACK_SIGNING_SECRET";
  static final String APP_TOKEN = "SLACK_APP_TOKEN";
  static final String BOT_TOKEN = "SLACK_BOT_TOKEN";
  static final String API_URL = "SLACK_API_URL";

  private static final String DEFAULT_API_URL = "https://slack.com/api/";
  private static final String DEFAULT_COMMAND = "/agent";
  // What a header can carry: a line break pasted along with a token fails here, not at a call.
  private static final Pattern TOKEN = Pattern.compile("[!-~]+");
  private static final Pattern APP_LEVEL_TOKEN = Pattern.compile("xapp-[!-~]+");

  public SlackConfig {
    signingSecrets = List.copyOf(signingSecrets);
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

  /// Over HTTP.
  public SlackConfig(List<String> signingSecrets, String botToken, URI apiUrl, String command) {
    this(signingSecrets, Optional.empty(), botToken, apiUrl, command);
  }

  /// Reads the settings by their names.
  ///
  /// @return empty when no setting of Slack's is there
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<SlackConfig> from(Map<String, String> settings) {
    var secrets = settings.getOrDefault(SIGNING_SECRET, "").strip();
    var appToken = settings.getOrDefault(APP_TOKEN, "").strip();
    var token = settings.getOrDefault(BOT_TOKEN, "").strip();
    if (secrets.isEmpty() && appToken.isEmpty()) {
      if (token.isEmpty()) {
        return Optional.empty();
      }
      throw new IllegalArgumentException(
          "%s is missing, while %s is set. It is under Basic Information in the app's settings. For Socket Mode set %s instead."
              .formatted(SIGNING_SECRET, BOT_TOKEN, APP_TOKEN));
    }
    if (token.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is missing, while %s is set. It is under OAuth & Permissions in the app's settings."
              .formatted(BOT_TOKEN, secrets.isEmpty() ? APP_TOKEN : SIGNING_SECRET));
    }
    return Optional.of(
        new SlackConfig(
            secrets.isEmpty()
                ? List.of()
                : Arrays.stream(secrets.split(",", -1)).map(String::strip).toList(),
            Optional.of(appToken).filter(it -> !it.isEmpty()),
            token,
            apiUrl(settings.getOrDefault(API_URL, "").strip()),
            DEFAULT_COMMAND));
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

  /// Whether Slack's requests over HTTP can be believed.
  boolean listens() {
    return !signingSecrets.isEmpty();
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
