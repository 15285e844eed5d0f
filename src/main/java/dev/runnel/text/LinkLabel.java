package dev.runnel.text;

import java.net.URI;
import java.text.Normalizer;
import java.text.Normalizer.Form;
import java.util.Locale;
import java.util.regex.Pattern;

/// Checks the labels of links in untrusted text.
public final class LinkLabel {
  /// A URL, possibly without a scheme: then a host with a path, or one with a common top-level
  /// domain.
  private static final Pattern ADDRESS =
      Pattern.compile(
          "(?:https?://|\\bwww\\.|//(?=[\\p{L}\\p{N}-]++\\.))[^\\s<>|]+"
              + "|(?<![\\p{L}\\p{N}./@_-])(?:[\\p{L}\\p{N}-]++\\.)+"
              + "(?:\\p{L}{2,}+/|(?:com|net|org|edu|gov|io|dev|app|cloud|ai|co|me|info|biz|xyz|eu|de|uk"
              + "|fr|nl|ch|jp|cn|ru|br|au|ca|us)(?![\\p{L}\\p{N}@_-]|\\.\\p{L}))",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern SCHEME = Pattern.compile("^https?://", Pattern.CASE_INSENSITIVE);
  private static final Pattern AFTER_HOST = Pattern.compile("[/?#\\\\:].*");

  /// Characters that look like the separators of a URL, also after normalization.
  private static final Pattern DOT = Pattern.compile("[\\u3002\\uFF61]");

  private static final Pattern SLASH = Pattern.compile("[\\u2044\\u2215\\u29F8]");

  /// Characters without a glyph.
  private static final Pattern INVISIBLE =
      Pattern.compile(
          "[\\p{Cf}\\p{Cc}&&[^\\s]]|[\\u034F\\u115F\\u1160\\u2800\\u3164\\uFE00-\\uFE0F]");

  /// Reverses the letters after it.
  private static final Pattern OVERRIDE = Pattern.compile("[\\u202D\\u202E]");

  private LinkLabel() {}

  /// Whether the label shows an address on another host than that of the link, so that readers
  /// would take it for the target.
  public static boolean misleads(String label, String target) {
    var host = host(target);
    return OVERRIDE.matcher(label).find()
        || ADDRESS.matcher(seen(label)).results().anyMatch(it -> !host(it.group()).equals(host));
  }

  /// The label as it looks, in ordinary characters.
  private static String seen(String label) {
    var normal = Normalizer.normalize(INVISIBLE.matcher(label).replaceAll(""), Form.NFKC);
    return SLASH.matcher(DOT.matcher(normal).replaceAll(".")).replaceAll("/");
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
