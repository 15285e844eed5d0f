package dev.runnel.text;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;

/// Checks the labels of links in untrusted text.
public final class LinkLabel {
  /// A URL, possibly without a scheme: then a host with a path, or one with a common top-level
  /// domain.
  private static final Pattern ADDRESS =
      Pattern.compile(
          "(?:https?://|\\bwww\\.)[^\\s<>|]+|(?<![\\p{L}\\p{N}./@_-])(?:[\\p{L}\\p{N}-]++\\.)+"
              + "(?:\\p{L}{2,}+/|(?:com|net|org|edu|gov|io|dev|app|cloud)(?![\\p{L}\\p{N}@_-]|\\.\\p{L}))",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern SCHEME = Pattern.compile("^https?://", Pattern.CASE_INSENSITIVE);
  private static final Pattern AFTER_HOST = Pattern.compile("[/?#\\\\:].*");

  private LinkLabel() {}

  /// Whether the label shows an address on another host than that of the link, so that readers
  /// would take it for the target.
  public static boolean misleads(String label, String target) {
    var host = host(target);
    return ADDRESS.matcher(label).results().anyMatch(it -> !host(it.group()).equals(host));
  }

  private static String host(String address) {
    try {
      var host = URI.create(address).getHost();
      if (host != null) {
        return plain(host);
      }
    } catch (IllegalArgumentException _) {
      // Extract the host of a malformed URL as well as possible.
    }
    var rest = SCHEME.matcher(address).replaceFirst("");
    return plain(AFTER_HOST.matcher(rest).replaceFirst(""));
  }

  private static String plain(String host) {
    return host.toLowerCase(Locale.ROOT).replaceFirst("^www\\.", "").replaceAll("[.,;)\\]]+$", "");
  }
}
