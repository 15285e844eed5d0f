package dev.runnel.app.settings;

import dev.runnel.surface.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/// The addresses to which Runnel sends tokens: with HTTPS, or where the address itself says that it
/// is in a private network. A name is not resolved, because what it resolves to may change.
final class SecretAddress {
  /// This machine; a name without a dot, as containers and services of one network have it; names
  /// that are reserved for private networks; private IPv4 addresses and those of a shared network
  /// (RFC 6598); and private IPv6 addresses.
  private static final Pattern PRIVATE =
      Pattern.compile(
          "[^.:\\[\\]]*[^.:\\[\\]\\d][^.:\\[\\]]*"
              + "|.+\\.(?:localhost|local|internal|svc|home\\.arpa)"
              + "|.+\\.svc\\.cluster\\.local"
              + "|(?:127|10)(?:\\.\\d{1,3}){3}"
              + "|192\\.168(?:\\.\\d{1,3}){2}"
              + "|172\\.(?:1[6-9]|2\\d|3[01])(?:\\.\\d{1,3}){2}"
              + "|100\\.(?:6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])(?:\\.\\d{1,3}){2}"
              + "|\\[(?:::1|(?:0{1,4}:){7}0{0,3}1|f[cd][0-9a-f]{2}:[0-9a-f:]*)\\]");

  private SecretAddress() {}

  /// Whatever is no address is reported where it is read.
  ///
  /// @throws SettingsException if a secret would go unencrypted through the internet
  static void check(Setting setting, String value) {
    if (setting.kind() == Setting.Kind.ADDRESS && !isSafe(value.strip())) {
      throw new SettingsException(
          "%s (%s) begins with http:// , so the token would go unencrypted through the internet."
                  .formatted(setting, setting.path())
              + " Write https:// . In a private network, http works with this machine, a private IP"
              + " address, a name without a dot, or one that ends in .internal, .local or .svc.");
    }
  }

  private static boolean isSafe(String value) {
    try {
      var address = new URI(value);
      return !"http".equalsIgnoreCase(address.getScheme())
          || address.getHost() == null
          || PRIVATE.matcher(address.getHost().toLowerCase(Locale.ROOT)).matches();
    } catch (URISyntaxException _) {
      return true;
    }
  }
}
