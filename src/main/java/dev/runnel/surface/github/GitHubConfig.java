package dev.runnel.surface.github;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// How to talk with GitHub.
///
/// @param webhookSecrets all valid at once, so that they can be rotated without an outage
/// @param token of the account that comments
/// @param apiUrl without a slash at its end; on Enterprise Server it ends in `/api/v3`
/// @param label the one that starts a run; with `:NAME` behind it, with the profile NAME
/// @param mention the word after `@` or `/` that addresses Runnel
public record GitHubConfig(
    List<String> webhookSecrets, String token, URI apiUrl, String label, String mention) {
  static final String SECRET = "GITHUB_WEBHOOK_SECRET";
  static final String TOKEN = "GITHUB_TOKEN";
  static final String API_URL = "GITHUB_API_URL";
  static final String LABEL = "RUNNEL_TRIGGER_LABEL";
  static final String MENTION = "RUNNEL_MENTION";

  private static final String DEFAULT_API_URL = "https://api.github.com";
  private static final String DEFAULT_WORD = "agent";
  // What a header can carry: a line break pasted along with a token fails here, not at a call.
  private static final Pattern TOKEN_FORM = Pattern.compile("[!-~]+");
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");

  public GitHubConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    if (webhookSecrets.isEmpty() || webhookSecrets.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          SECRET + " needs the webhook's secret, or several separated by commas.");
    }
    if (!TOKEN_FORM.matcher(token).matches()) {
      throw new IllegalArgumentException(
          TOKEN + " needs an access token, without spaces or line breaks.");
    }
    var scheme = apiUrl.getScheme();
    if (!("https".equals(scheme) || "http".equals(scheme))
        || apiUrl.getHost() == null
        || apiUrl.getQuery() != null
        || apiUrl.getFragment() != null
        || apiUrl.getUserInfo() != null) {
      throw new IllegalArgumentException(
          API_URL + " needs a web address, such as " + DEFAULT_API_URL + ".");
    }
    if (label.isBlank() || label.contains(",")) {
      throw new IllegalArgumentException(LABEL + " needs the name of a label, such as agent.");
    }
    if (!WORD.matcher(mention).matches()) {
      throw new IllegalArgumentException(
          MENTION + " needs one word of letters, digits and dashes, such as agent.");
    }
  }

  /// Reads the settings by their names.
  ///
  /// @return empty when neither the secret nor the token is there
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<GitHubConfig> from(Map<String, String> settings) {
    var secrets = value(settings, SECRET, "");
    var token = value(settings, TOKEN, "");
    if (secrets.isEmpty() && token.isEmpty()) {
      return Optional.empty();
    }
    if (secrets.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is missing, while %s is set. It is the secret of the webhook that points here."
              .formatted(SECRET, TOKEN));
    }
    if (token.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is missing, while %s is set. It needs to read and write issues."
              .formatted(TOKEN, SECRET));
    }
    return Optional.of(
        new GitHubConfig(
            Arrays.stream(secrets.split(",", -1)).map(String::strip).toList(),
            token,
            url(value(settings, API_URL, DEFAULT_API_URL)),
            value(settings, LABEL, DEFAULT_WORD),
            value(settings, MENTION, DEFAULT_WORD)));
  }

  private static String value(Map<String, String> settings, String name, String otherwise) {
    var value = settings.getOrDefault(name, "").strip();
    return value.isEmpty() ? otherwise : value;
  }

  private static URI url(String text) {
    try {
      return URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(API_URL + " is not a web address.", malformed);
    }
  }

  @Override
  public String toString() {
    return "GitHubConfig[apiUrl=%s, label=%s, mention=%s, secrets withheld]"
        .formatted(apiUrl, label, mention);
  }
}
