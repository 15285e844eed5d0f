package dev.runnel.surface;

import java.util.Locale;
import java.util.Optional;

/// One setting: an environment variable, and its path in the file. The variable takes precedence.
///
/// @param variable `SLACK_BOT_TOKEN`
/// @param path `slack.bot_token`
/// @param kind whether its value is secret
/// @param defaultValue the default, as people write it; empty if there is none
/// @param description its documentation, one sentence in Markdown
/// @param formerPath an earlier path, which is still read
/// @param formerOff an earlier word for `off`, which is still read
public record Setting(
    String variable,
    String path,
    Kind kind,
    String defaultValue,
    String description,
    Optional<String> formerPath,
    Optional<String> formerOff) {
  /// The word that turns a feature or a limit off.
  public static final String OFF = "off";

  /// The message about a secret that [#isLong] rejects, after its name.
  public static final String TOO_SHORT =
      "is too short: a secret has at least 16 characters, so that nobody guesses it."
          + " `openssl rand -hex 32` makes one";

  private static final int MIN_CHARACTERS = 16;
  private static final String OWN_PREFIX = "RUNNEL_";

  /// Whether a value may be shown, and how long it must be.
  public enum Kind {
    PLAIN,
    /// An address to which Runnel sends a secret.
    ADDRESS,
    /// A secret that a platform issues.
    ISSUED_SECRET,
    /// A secret that the operator may choose, and that must not be short. That of a platform may be
    /// a list.
    CHOSEN_SECRET,
    /// The path of a file with a secret.
    SECRET_FILE
  }

  /// @param defaultValue the default, as people write it; empty if there is none
  public static Setting plain(String variable, String defaultValue, String description) {
    return of(variable, Kind.PLAIN, defaultValue, description);
  }

  /// @param defaultValue the default, as people write it; empty if there is none
  public static Setting address(String variable, String defaultValue, String description) {
    return of(variable, Kind.ADDRESS, defaultValue, description);
  }

  public static Setting issuedSecret(String variable, String description) {
    return of(variable, Kind.ISSUED_SECRET, "", description);
  }

  public static Setting chosenSecret(String variable, String description) {
    return of(variable, Kind.CHOSEN_SECRET, "", description);
  }

  public static Setting secretFile(String variable, String description) {
    return of(variable, Kind.SECRET_FILE, "", description);
  }

  private static Setting of(String variable, Kind kind, String defaultValue, String description) {
    return new Setting(
        variable,
        path(variable),
        kind,
        defaultValue,
        description,
        Optional.empty(),
        Optional.empty());
  }

  /// `slack.bot_token` for `SLACK_BOT_TOKEN`, `public_url` for `RUNNEL_PUBLIC_URL`.
  private static String path(String variable) {
    var lower = variable.toLowerCase(Locale.ROOT);
    return variable.startsWith(OWN_PREFIX)
        ? lower.substring(OWN_PREFIX.length())
        : lower.replaceFirst("_", ".");
  }

  public Setting at(String otherPath) {
    return new Setting(variable, otherPath, kind, defaultValue, description, formerPath, formerOff);
  }

  public Setting formerlyAt(String earlier) {
    return new Setting(
        variable, path, kind, defaultValue, description, Optional.of(earlier), formerOff);
  }

  public Setting formerlyOffAs(String word) {
    return new Setting(
        variable, path, kind, defaultValue, description, formerPath, Optional.of(word));
  }

  public boolean isSecret() {
    return kind == Kind.ISSUED_SECRET || kind == Kind.CHOSEN_SECRET;
  }

  /// Whether the secret is long enough not to be guessed.
  public static boolean isLong(String secret) {
    return secret.strip().length() >= MIN_CHARACTERS;
  }

  /// The variable, by which messages name the setting.
  @Override
  public String toString() {
    return variable;
  }
}
