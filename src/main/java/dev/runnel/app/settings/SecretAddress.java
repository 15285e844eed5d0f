package dev.runnel.app.settings;

import dev.runnel.surface.Setting;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/// The addresses to which Runnel sends tokens: with HTTPS, or where the address itself says that it
/// is in a private network. A name is not resolved, because what it resolves to may change.
final class SecretAddress {
  /// Names of private networks: without a dot, as containers and services of one network have them,
  /// and those that are reserved.
  private static final Pattern PRIVATE_NAME =
      Pattern.compile(
          "^(?:[^.:\\[\\]]*[^.:\\[\\]\\d][^.:\\[\\]]*"
              + "|.+\\.(?:localhost|local|internal|svc|home\\.arpa)"
              + "|.+\\.svc\\.cluster\\.local)");

  private SecretAddress() {}

  /// Whatever is no address is reported where it is read.
  ///
  /// @throws SettingsException if a secret would go unencrypted through the internet
  static void check(Settings settings, Setting setting) {
    if (setting.kind() == Setting.Kind.ADDRESS
        && !isSafe(settings.get(setting).orElse("").strip())) {
      throw settings.wrong(
          setting,
          "uses http, so the token would go unencrypted through the internet. Use https."
              + " In a private network, http works with this machine, a private IP address, a name"
              + " without a dot, or one that ends in .internal, .local or .svc");
    }
  }

  /// An authority without a host, such as one with an underscore, is still one that a request may
  /// reach.
  private static boolean isSafe(String value) {
    try {
      var address = new URI(value);
      return !"http".equalsIgnoreCase(address.getScheme())
          || address.getRawAuthority() == null
          || (address.getHost() != null && isPrivate(address.getHost().toLowerCase(Locale.ROOT)));
    } catch (URISyntaxException _) {
      return true;
    }
  }

  private static boolean isPrivate(String host) {
    try {
      return isPrivate(InetAddress.ofLiteral(host));
    } catch (IllegalArgumentException _) {
      return PRIVATE_NAME.matcher(host).matches();
    }
  }

  /// The addresses that are not public for `EgressRules` are more: also those of a cloud's
  /// metadata, and those that a gateway maps to the internet.
  private static boolean isPrivate(InetAddress address) {
    var bytes = address.getAddress();
    return address.isLoopbackAddress()
        || address.isSiteLocalAddress()
        || (address instanceof Inet6Address
            ? (bytes[0] & 0xfe) == 0xfc // unique local, RFC 4193
            : bytes[0] == 100 && (bytes[1] & 0xc0) == 64); // shared network, RFC 6598
  }
}
