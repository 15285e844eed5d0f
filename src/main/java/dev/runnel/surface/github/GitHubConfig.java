package dev.runnel.surface.github;

import dev.runnel.surface.kit.SettingValues;
import dev.runnel.surface.tracker.TrackerSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The settings of the GitHub surface.
///
/// @param webhookSecrets all valid at once, so that they can be rotated without an outage
/// @param identity the account or app that posts the comments
/// @param apiUrl without a trailing slash; on Enterprise Server it ends in `/api/v3`
/// @param access the minimum role in a repository for starting and steering runs
/// @param hooks the webhooks whose delivery lists are read to catch up; an app reads its own
/// @param installations the accounts that the operator accepted, in lower case. If empty, an app
///   serves nobody, because anybody may install it, and a token serves every sender
public record GitHubConfig(
    List<String> webhookSecrets,
    GitHubIdentity identity,
    URI apiUrl,
    Access access,
    List<HookPath> hooks,
    Set<String> installations,
    TrackerSettings tracker) {
  static final String SECRET = "GITHUB_WEBHOOK_SECRET";
  static final String TOKEN = "GITHUB_TOKEN";
  static final String APP_ID = "GITHUB_APP_ID";
  static final String KEY = "GITHUB_PRIVATE_KEY";
  static final String KEY_FILE = "GITHUB_PRIVATE_KEY_FILE";
  static final String API_URL = "GITHUB_API_URL";
  static final String ACCESS = "GITHUB_ACCESS";
  static final String HOOKS = "GITHUB_HOOKS";
  static final String INSTALLATIONS = "GITHUB_INSTALLATIONS";

  /// Tells the operator how to accept an account.
  static final String TO_ACCEPT = "add it to policy.installations.github";

  private static final String DEFAULT_API_URL = "https://api.github.com";

  private static final Pattern ACCOUNT = Pattern.compile("[a-z0-9][a-z0-9_-]*");

  /// GitHub's roles; each includes the permissions of those before it.
  public enum Access {
    READ,
    TRIAGE,
    WRITE,
    MAINTAIN,
    ADMIN;

    /// @return empty for a custom role
    static Optional<Access> of(String word) {
      return Stream.of(values())
          .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(word))
          .findFirst();
    }
  }

  public GitHubConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    hooks = List.copyOf(hooks);
    installations =
        installations.stream()
            .map(it -> it.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
    if (!installations.stream().allMatch(it -> ACCOUNT.matcher(it).matches())) {
      throw new IllegalArgumentException(
          INSTALLATIONS + " needs the names of accounts, such as acme.");
    }
  }

  /// Reads the settings by variable name.
  ///
  /// @return empty when neither the secret nor the token is set
  /// @throws IllegalArgumentException with the setting's name and what is missing
  public static Optional<GitHubConfig> from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    return identity(values)
        .map(
            identity ->
                new GitHubConfig(
                    values.secrets(SECRET),
                    identity,
                    values.address(API_URL, DEFAULT_API_URL),
                    values.choice(ACCESS, Access.WRITE),
                    values.list(HOOKS).stream().map(HookPath::of).toList(),
                    Set.copyOf(values.list(INSTALLATIONS)),
                    TrackerSettings.from(settings)));
  }

  private static Optional<GitHubIdentity> identity(SettingValues values) {
    var isApp = Stream.of(APP_ID, KEY, KEY_FILE).anyMatch(name -> values.text(name).isPresent());
    if (!isApp) {
      return values.areAllSet(SECRET, TOKEN)
          ? Optional.of(new GitHubIdentity.Token(values.token(TOKEN)))
          : Optional.empty();
    }
    if (values.text(TOKEN).isPresent()) {
      throw new IllegalArgumentException(
          TOKEN + " and a GitHub App are both set. Keep one of them.");
    }
    var key = values.text(KEY).isPresent() ? KEY : KEY_FILE;
    if (values.text(KEY).isPresent() && values.text(KEY_FILE).isPresent()) {
      throw new IllegalArgumentException(
          KEY + " and " + KEY_FILE + " are both set. Keep one of them.");
    }
    var _ = values.areAllSet(SECRET, APP_ID, key);
    var text = values.text(key).orElseThrow();
    try {
      var pem = key.equals(KEY) ? text : Files.readString(Path.of(text));
      return Optional.of(
          new GitHubIdentity.App(new AppKey(values.text(APP_ID).orElseThrow(), pem)));
    } catch (IOException | InvalidPathException unreadable) {
      throw new IllegalArgumentException(
          KEY_FILE + " names a file that cannot be read: " + text, unreadable);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(key + " " + malformed.getMessage() + ".", malformed);
    }
  }

  /// The webhooks whose delivery lists can be read.
  List<HookPath> listedHooks() {
    return switch (identity) {
      case GitHubIdentity.App _ -> List.of(HookPath.APP_HOOK);
      case GitHubIdentity.Token _ -> hooks;
    };
  }

  /// Whether the account's repositories are served.
  boolean accepts(String account) {
    return installations.isEmpty()
        ? identity instanceof GitHubIdentity.Token
        : installations.contains(account.toLowerCase(Locale.ROOT));
  }

  boolean acceptsNobody() {
    return installations.isEmpty() && identity instanceof GitHubIdentity.App;
  }

  @Override
  public String toString() {
    return "GitHubConfig[apiUrl=%s, access=%s, hooks=%s, installations=%s, tracker=%s, secrets withheld]"
        .formatted(apiUrl, access, hooks, installations, tracker);
  }
}
