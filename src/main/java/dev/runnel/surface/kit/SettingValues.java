package dev.runnel.surface.kit;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A platform's settings by variable name; a blank value is absent. Every invalid value is an
/// `IllegalArgumentException` that names the setting.
public record SettingValues(Map<String, String> byName) {
  // Only what a header can carry: a token with a pasted line break fails at start, not at a call.
  private static final Pattern TOKEN_FORM = Pattern.compile("[!-~]+");

  public Optional<String> text(String name) {
    return Optional.of(byName.getOrDefault(name, "").strip()).filter(text -> !text.isEmpty());
  }

  /// Splits at commas; a part may be empty.
  public List<String> list(String name) {
    return text(name)
        .map(text -> Arrays.stream(text.split(",", -1)).map(String::strip).toList())
        .orElse(List.of());
  }

  /// One of an enum's constants, by its name in lower case.
  public <E extends Enum<E>> E choice(String name, E defaultValue) {
    var word = text(name);
    if (word.isEmpty()) {
      return defaultValue;
    }
    var all = defaultValue.getDeclaringClass().getEnumConstants();
    return Arrays.stream(all)
        .filter(each -> word(each).equals(word.get()))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    Arrays.stream(all)
                        .limit(all.length - 1)
                        .map(SettingValues::word)
                        .collect(
                            Collectors.joining(
                                ", ",
                                name + " must be ",
                                " or " + word(all[all.length - 1]) + "."))));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /// Whether a platform is configured: all of these are set.
  ///
  /// @return false when none of them is set
  public boolean areAllSet(String... names) {
    var there = Arrays.stream(names).filter(name -> text(name).isPresent()).toList();
    var missing = Arrays.stream(names).filter(name -> text(name).isEmpty()).toList();
    if (there.isEmpty()) {
      return false;
    }
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(missing(missing, there.getFirst()));
    }
    return true;
  }

  /// The message about settings that are missing: `A and B are missing, while C is set.`
  public static String missing(List<String> names, String there) {
    return "%s %s missing, while %s is set."
        .formatted(String.join(" and ", names), names.size() == 1 ? "is" : "are", there);
  }

  public URI address(String name, String defaultValue) {
    var text = text(name).orElse(defaultValue);
    try {
      var url = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
      requireAddress(name, url, defaultValue);
      return url;
    } catch (IllegalArgumentException malformed) {
      throw malformed.getMessage() != null && malformed.getMessage().startsWith(name)
          ? malformed
          : new IllegalArgumentException(name + " is not a web address.", malformed);
    }
  }

  private static void requireAddress(String name, URI url, String example) {
    var scheme = url.getScheme();
    if (!("https".equals(scheme) || "http".equals(scheme))
        || url.getHost() == null
        || url.getQuery() != null
        || url.getFragment() != null
        || url.getUserInfo() != null) {
      throw new IllegalArgumentException(name + " needs a web address, such as " + example + ".");
    }
  }

  /// The secrets of a webhook, separated by commas; all valid at once, so that they can be rotated
  /// without an outage.
  public List<String> secrets(String name) {
    var secrets = list(name);
    if (secrets.isEmpty() || secrets.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          name + " needs the webhook's secret, or several separated by commas.");
    }
    return secrets;
  }

  public String token(String name) {
    return text(name)
        .filter(token -> TOKEN_FORM.matcher(token).matches())
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    name + " needs an access token, without spaces or line breaks."));
  }

  /// Omits the values, because some are secret.
  @Override
  public String toString() {
    return "SettingValues" + byName.keySet();
  }
}
