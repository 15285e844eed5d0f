package dev.runnel.service.egress;

import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// The hosts that an agent may connect to. Pure.
///
/// A pattern is a host name (`api.example.com`), all names below one (`*.example.com`), or `*` for
/// every public host. A port may follow (`git.example.com:8443`); without one, 443 and 80 are
/// permitted. Addresses of this machine and of internal networks are refused, unless a pattern
/// begins with `internal:` (`internal:registry.corp:5000`) and names the host exactly. A name
/// without a dot is only permitted after `internal:`, since no public host has one.
///
/// @param patterns the allow-list; empty permits nothing
public record EgressRules(List<String> patterns) {
  private static final String INTERNAL = "internal:";
  private static final String ANY_HOST = "*";
  private static final Pattern PATTERN =
      Pattern.compile(
          "^(?<internal>internal:)?(?<host>\\*|(\\*\\.)?[a-z0-9_-]++(\\.[a-z0-9_-]++)*+|\\[[0-9a-f:.]+])"
              + "(:(?<port>[0-9]{1,5}))?");
  private static final Pattern LOOPBACK =
      Pattern.compile("^(localhost|127\\.[0-9.]+|\\[::1]):[0-9]+");
  private static final int MIN_PREFIX_IPV4 = 16;
  private static final int MIN_PREFIX_IPV6 = 48;
  private static final List<Integer> DEFAULT_PORTS = List.of(443, 80);

  /// @throws IllegalArgumentException if a pattern has another form; the message says what to write
  public EgressRules {
    patterns = patterns.stream().map(each -> each.strip().toLowerCase(Locale.ROOT)).toList();
    for (var each : patterns) {
      var parts = PATTERN.matcher(each);
      if (!parts.matches()
          || (parts.group("internal") != null
              ? each.contains(ANY_HOST)
              : !each.contains(".") && !each.contains("[") && !each.startsWith(ANY_HOST))) {
        throw new IllegalArgumentException(
            "%s is not a host: write api.example.com, *.example.com, git.example.com:8443, * for every public host, or internal: before the exact name of an internal host"
                .formatted(each));
      }
    }
  }

  /// Whether a pattern permits a host by its name and port.
  public boolean permits(String host, int port) {
    return patterns.stream()
        .filter(each -> !each.startsWith(INTERNAL))
        .anyMatch(each -> matches(each, host, port));
  }

  /// Whether a pattern permits a host of an internal network by its exact name and port.
  public boolean permitsInternal(String host, int port) {
    return patterns.stream()
        .filter(each -> each.startsWith(INTERNAL))
        .anyMatch(each -> matches(each.substring(INTERNAL.length()), host, port));
  }

  /// The services of this machine's loopback interface that a pattern permits, as `host:port`.
  public List<String> loopback() {
    return patterns.stream()
        .filter(each -> each.startsWith(INTERNAL))
        .map(each -> each.substring(INTERNAL.length()))
        .filter(each -> LOOPBACK.matcher(each).matches())
        .distinct()
        .toList();
  }

  private static boolean matches(String pattern, String host, int port) {
    var parts = PATTERN.matcher(pattern);
    if (!parts.matches()) {
      return false;
    }
    var ports =
        Optional.ofNullable(parts.group("port"))
            .map(Integer::parseInt)
            .map(List::of)
            .orElse(DEFAULT_PORTS);
    return ports.contains(port) && matches(parts.group("host"), normalize(host));
  }

  private static boolean matches(String pattern, String host) {
    if (pattern.equals(ANY_HOST)) {
      return true;
    }
    return pattern.startsWith("*.")
        ? host.endsWith(pattern.substring(1)) && host.length() > pattern.length() - 1
        : host.equals(pattern);
  }

  /// The port of a URL, else that of its scheme, `http` or `https`.
  public static int port(URI address) {
    var defaultPort = "https".equalsIgnoreCase(address.getScheme()) ? 443 : 80;
    return address.getPort() < 0 ? defaultPort : address.getPort();
  }

  /// In lower case, without a trailing dot, which does not change the host.
  static String normalize(String host) {
    var lower = host.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /// Whether an address belongs to the public internet: not to this machine, an internal or
  /// link-local network, a cloud's metadata service, or a multicast group.
  public static boolean isPublic(InetAddress address) {
    if (address.isAnyLocalAddress()
        || address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return false;
    }
    return switch (address) {
      case Inet4Address ipv4 -> isPublic(ipv4.getAddress());
      case Inet6Address ipv6 -> isPublicIpv6(ipv6.getAddress());
      default -> false;
    };
  }

  /// Whether an address is in a network that this machine is attached to. Such a network is
  /// internal, although its addresses may be public, as is common with IPv6. A network larger than
  /// a site is ignored, because some interfaces are configured with the whole internet.
  ///
  /// @param local the machine's address in the network
  /// @param prefix prefix length of the network in bits
  static boolean isInSameNetwork(InetAddress address, InetAddress local, int prefix) {
    var one = address.getAddress();
    var other = local.getAddress();
    var least = one.length == 4 ? MIN_PREFIX_IPV4 : MIN_PREFIX_IPV6;
    if (one.length != other.length || prefix < least || prefix > one.length * Byte.SIZE) {
      return false;
    }
    var from = new BigInteger(1, one).xor(new BigInteger(1, other));
    return from.shiftRight(one.length * Byte.SIZE - prefix).signum() == 0;
  }

  private static boolean isPublic(byte[] ipv4) {
    int first = ipv4[0] & 0xff;
    int second = ipv4[1] & 0xff;
    int third = ipv4[2] & 0xff;
    return !(first == 0
        || first == 10
        || first == 127
        || (first == 100 && second >= 64 && second < 128) // carrier-grade NAT
        || (first == 168 && second == 63 && third == 129 && (ipv4[3] & 0xff) == 16) // Azure's host
        || (first == 169 && second == 254)
        || (first == 172 && second >= 16 && second < 32)
        || (first == 192 && second == 168)
        || (first == 192 && second == 0 && third == 0) // protocol assignments
        || (first == 198 && (second == 18 || second == 19)) // benchmarks
        || first >= 224);
  }

  private static boolean isPublicIpv6(byte[] ipv6) {
    int first = ipv6[0] & 0xff;
    int second = ipv6[1] & 0xff;
    if ((first & 0xe0) != 0x20) {
      // Only 2000::/3 is public, so neither fc00::/7, fe80::/10 nor mapped addresses are.
      return false;
    }
    var isTeredo = first == 0x20 && second == 0x01 && ipv6[2] == 0 && ipv6[3] == 0;
    if (first == 0x20 && second == 0x02) {
      // A 6to4 address contains an IPv4 address.
      return isPublic(new byte[] {ipv6[2], ipv6[3], ipv6[4], ipv6[5]});
    }
    return !isTeredo;
  }
}
