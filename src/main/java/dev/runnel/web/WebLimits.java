package dev.runnel.web;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;

/// What strangers can take of the process, at all its servers together: memory and connections.
public final class WebLimits {
  private static final String FORWARDED_FOR = "X-Forwarded-For";

  /// Of the share of proven senders: what requests get from addresses and on connections with a
  /// proof, until they have shown one themselves. Less for addresses, because strangers may share
  /// them.
  private static final int PART_OF_PROVEN_ADDRESSES = 8;

  private static final int PART_OF_PROVEN_CONNECTIONS = 4;

  /// Of the share of proven senders: what requests with a small key get. They may wait for long.
  private static final int PART_OF_KEYS = 4;

  /// Of the share of senders without proof: what heads get that have not arrived completely.
  private static final int PART_OF_HEADS = 4;

  private final Share unproven;
  private final Share proven;
  private final Share keys;
  private final Share heads;
  private final TrustedProxies proxies;
  private final Senders senders;
  private final ConnectionLimit connections;

  private WebLimits(MemoryBudget memory, TrustedProxies proxies, int mostConnections) {
    this.unproven = memory.share(MemoryBudget.Kind.UNPROVEN);
    this.proven = memory.share(MemoryBudget.Kind.PROVEN);
    this.keys = proven.part("keys", 0, proven.size() / PART_OF_KEYS);
    this.heads = unproven.part("heads", 0, unproven.size() / PART_OF_HEADS);
    this.proxies = proxies;
    this.senders =
        new Senders(
            unproven,
            proven.part("addresses", 0, proven.size() / PART_OF_PROVEN_ADDRESSES),
            proven.part("connections", 0, proven.size() / PART_OF_PROVEN_CONNECTIONS),
            System::nanoTime);
    this.connections = new ConnectionLimit(mostConnections, senders::isProven, proxies::contains);
  }

  public static WebLimits of(MemoryBudget memory, TrustedProxies proxies) {
    return of(memory, proxies, ConnectionLimit.most(FileLimit.ofThisProcess()));
  }

  /// @param mostConnections that may be open
  static WebLimits of(MemoryBudget memory, TrustedProxies proxies, int mostConnections) {
    return new WebLimits(memory, proxies, mostConnections);
  }

  Share unproven() {
    return unproven;
  }

  Share proven() {
    return proven;
  }

  /// A part of [#proven].
  Share keys() {
    return keys;
  }

  Share heads() {
    return heads;
  }

  ConnectionLimit connections() {
    return connections;
  }

  Senders.Request begin(Request request) {
    var peer = peer(request);
    // Requests of several senders share the connections of a proxy.
    var isProxy = proxies.contains(peer);
    var place = connections.find(request.getConnectionMetaData().getConnection().getEndPoint());
    return senders.begin(
        sender(peer, request.getHeaders()), !isProxy && place != null && place.isProven());
  }

  /// The request had a valid signature, key or session.
  void proved(Request request) {
    var place = connections.find(request.getConnectionMetaData().getConnection().getEndPoint());
    var isFirst = place == null || connections.proved(place, System.nanoTime());
    if (isFirst || !proxies.areNone()) {
      senders.proved(sender(peer(request), request.getHeaders()));
    }
  }

  private static InetAddress peer(Request request) {
    return request.getConnectionMetaData().getRemoteSocketAddress()
            instanceof InetSocketAddress remote
        ? remote.getAddress()
        : InetAddress.getLoopbackAddress();
  }

  private InetAddress sender(InetAddress peer, HttpFields headers) {
    return proxies.areNone()
        ? TrustedProxies.sender(peer)
        : proxies.sender(peer, List.copyOf(headers.getValuesList(FORWARDED_FOR)));
  }
}
