package dev.runnel.web;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/// The proxies whose `X-Forwarded-For` is believed. Without any, the header is ignored, because
/// everybody can send it.
///
/// An address is where a sender's requests come from, for limits: of IPv6, the network of 64 bits,
/// all of whose addresses belong to one sender.
public final class TrustedProxies {
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  private static final int IPV4_BITS = 32;
  private static final int IPV6_BYTES = 16;
  private static final int IPV6_NETWORK_BYTES = 8;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Network(byte[] address, int bits) {
    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit += Byte.SIZE) {
        int unused = Math.max(0, Byte.SIZE - (bits - bit));
        if ((address[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) >> unused != 0) {
          return false;
        }
      }
      return true;
    }
  }

  private final List<Network> networks;

  private TrustedProxies(List<Network> networks) {
    this.networks = networks;
  }

  /// @param texts addresses and networks: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`
  /// @throws IllegalArgumentException if one is neither; the message continues a sentence about the
  ///   setting
  public static TrustedProxies of(List<String> texts) {
    return texts.isEmpty()
        ? NONE
        : new TrustedProxies(texts.stream().map(TrustedProxies::network).toList());
  }

  private static Network network(String text) {
    var slash = text.indexOf('/');
    var address = literal(slash < 0 ? text : text.substring(0, slash));
    try {
      int bits = slash < 0 ? -1 : Integer.parseInt(text.substring(slash + 1));
      int most = address.map(it -> it.getAddress().length * Byte.SIZE).orElse(IPV4_BITS);
      if (address.isPresent() && bits <= most && (bits >= 0 || slash < 0)) {
        return new Network(address.get().getAddress(), slash < 0 ? most : bits);
      }
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw new IllegalArgumentException(
        "holds %s, and must hold addresses or networks, like 10.0.0.7 or 10.0.0.0/8"
            .formatted(text));
  }

  boolean contains(InetAddress address) {
    var bytes = address.getAddress();
    for (var network : networks) {
      if (network.contains(bytes)) {
        return true;
      }
    }
    return false;
  }

  boolean areNone() {
    return networks.isEmpty();
  }

  /// The address of the sender of a request.
  ///
  /// @param peer the other end of the connection
  /// @param forwardedFor the values of `X-Forwarded-For`, in their order
  InetAddress sender(InetAddress peer, List<String> forwardedFor) {
    var last = peer;
    // Each proxy appends the address that it sees, so only those behind trusted ones are true.
    for (int i = forwardedFor.size() - 1; i >= 0 && contains(last); i--) {
      var values = forwardedFor.get(i).split(",", -1);
      for (int j = values.length - 1; j >= 0 && contains(last); j--) {
        var next = literal(withoutPort(values[j].strip()));
        if (next.isEmpty()) {
          return sender(last);
        }
        last = next.get();
      }
    }
    return sender(last);
  }

  /// The address by which the limits of a sender are counted.
  static InetAddress sender(InetAddress address) {
    var bytes = address.getAddress();
    if (bytes.length != IPV6_BYTES) {
      return address;
    }
    for (int i = IPV6_NETWORK_BYTES; i < bytes.length; i++) {
      bytes[i] = 0;
    }
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException("16 bytes are an address", impossible);
    }
  }

  /// `192.0.2.1:8080` and `[2001:db8::1]:8080` are written, too.
  private static String withoutPort(String text) {
    if (text.startsWith("[")) {
      var end = text.indexOf(']');
      return end < 0 ? text : text.substring(1, end);
    }
    var colon = text.indexOf(':');
    return colon >= 0 && colon == text.lastIndexOf(':') ? text.substring(0, colon) : text;
  }

  /// Never asks a name server.
  private static Optional<InetAddress> literal(String text) {
    try {
      return Optional.of(InetAddress.ofLiteral(text));
    } catch (IllegalArgumentException notAnAddress) {
      return Optional.empty();
    }
  }
}
