package dev.runnel.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Limits the open connections of all servers of the process. A new connection never waits for a
/// place: when there is none, the oldest idle connection without proof is closed, first one of an
/// address that has many. An eighth of the places is kept for addresses that proved themselves
/// before. Those with a proof give way, idle ones first, when they leave less than an eighth to the
/// others: a proof is no right to a place, because small keys give one. Thread-safe.
final class ConnectionLimit implements SelectorManager.AcceptListener, Connection.Listener {
  private static final Logger log = LoggerFactory.getLogger(ConnectionLimit.class);
  private static final int MAX_CONNECTIONS = 10_000;

  /// What else the process opens: databases, programs, files, calls to platforms.
  private static final int OTHER_FILES = 512;

  private static final int KEPT_FOR_PROVEN = 8;
  private static final int KEPT_FOR_UNPROVEN = 8;

  /// An address with more connections without proof than this gives way first.
  private static final int MANY = 256;

  /// How many of the oldest connections are looked at for an idle one, so that accepting one stays
  /// quick.
  private static final int LOOKED_AT = 64;

  private static final long PROOF_IS_FRESH_NANOS = 60_000_000_000L;

  /// One connection.
  static final class Place {
    private final SelectableChannel channel;
    private final @Nullable InetAddress address;
    private volatile @Nullable HttpConnection connection;
    private volatile boolean isProven;
    private volatile long provedAt;

    // Guarded by the limit.
    private boolean isClosed;

    Place(SelectableChannel channel, @Nullable InetAddress address) {
      this.channel = channel;
      this.address = address;
    }

    /// Whether it has carried a valid signature, key or session.
    boolean isProven() {
      return isProven;
    }

    /// Whether no part of a request has arrived that is not answered.
    private boolean isIdle() {
      var http = connection;
      return http != null && http.getParser().isStart();
    }

    private void close() {
      var http = connection;
      if (http != null) {
        http.getEndPoint().close();
        return;
      }
      try {
        channel.close();
      } catch (IOException e) {
        log.debug("connection not closed why={}", e.toString());
      }
    }
  }

  private final int most;
  private final Predicate<InetAddress> isProvenAddress;
  private final Predicate<InetAddress> isProxy;
  private final Map<SelectableChannel, Place> places = new ConcurrentHashMap<>();

  // What follows is guarded by this.
  private int open;

  /// Those without proof, the oldest first.
  private final Set<Place> unproven = new LinkedHashSet<>();

  /// Those with a proof, the one that was used longest ago first.
  private final Set<Place> proven = new LinkedHashSet<>();

  /// The same by their address, without those of proxies.
  private final Map<InetAddress, Set<Place>> byAddress = new HashMap<>();

  private final Set<InetAddress> withMany = new LinkedHashSet<>();
  private boolean isFull;

  /// @param isProvenAddress whether an address proved itself before
  /// @param isProxy whether senders share the connections of an address
  ConnectionLimit(
      int most, Predicate<InetAddress> isProvenAddress, Predicate<InetAddress> isProxy) {
    this.most = most;
    this.isProvenAddress = isProvenAddress;
    this.isProxy = isProxy;
  }

  /// How many connections may be open if so many files may be.
  static int most(long files) {
    return (int) Math.min(MAX_CONNECTIONS, Math.max(files - OTHER_FILES, files / 2));
  }

  int most() {
    return most;
  }

  synchronized int open() {
    return open;
  }

  /// The connection of an end point; null if it is closed already.
  @Nullable Place find(EndPoint endPoint) {
    return endPoint.getTransport() instanceof SelectableChannel channel
        ? places.get(channel)
        : null;
  }

  /// A request of the connection had a valid signature, key or session.
  ///
  /// @return whether it had none within the last minute
  boolean proved(Place place, long nanoTime) {
    if (place.isProven && nanoTime - place.provedAt < PROOF_IS_FRESH_NANOS) {
      return false;
    }
    place.provedAt = nanoTime;
    synchronized (this) {
      place.isProven = true;
      forget(place);
      if (!place.isClosed) {
        proven.add(place);
      }
    }
    return true;
  }

  @Override
  public void onAccepting(SelectableChannel channel) {
    var place = new Place(channel, address(channel));
    var victim = open(place);
    if (victim != null) {
      victim.close();
    }
  }

  @Override
  public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
    onClosed(channel);
  }

  @Override
  public void onClosed(SelectableChannel channel) {
    var place = places.remove(channel);
    if (place != null) {
      leave(place);
    }
  }

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof HttpConnection http) {
      var place = find(http.getEndPoint());
      if (place != null) {
        place.connection = http;
      }
    }
  }

  @Override
  public void onClosed(Connection connection) {
    // The channel's end counts.
  }

  private static @Nullable InetAddress address(SelectableChannel channel) {
    try {
      return channel instanceof SocketChannel socket
              && socket.getRemoteAddress() instanceof InetSocketAddress remote
          ? remote.getAddress()
          : null;
    } catch (IOException gone) {
      return null;
    }
  }

  /// @return the connection to close; null for none
  private synchronized @Nullable Place open(Place place) {
    places.put(place.channel, place);
    open++;
    unproven.add(place);
    if (place.address != null && !isProxy.test(place.address)) {
      var address = TrustedProxies.sender(place.address);
      var same = byAddress.computeIfAbsent(address, _ -> new LinkedHashSet<>());
      same.add(place);
      if (same.size() > MANY) {
        withMany.add(address);
      }
    }
    if (!isOver(place)) {
      return null;
    }
    if (!isFull) {
      isFull = true;
      log.warn(
          "connections are full, the oldest give way, first without proof open={} unproven={}",
          open,
          unproven.size());
    }
    var victim = victim(place);
    leave(victim);
    return victim;
  }

  private boolean isOver(Place place) {
    return open > most
        || (unproven.size() > most - most / KEPT_FOR_PROVEN
            && (place.address == null
                || !isProvenAddress.test(TrustedProxies.sender(place.address))));
  }

  /// The new connection itself, if all others have given a proof and are busy.
  private Place victim(Place newest) {
    if (unproven.size() <= most / KEPT_FOR_UNPROVEN) {
      var idle = oldestIdleProven();
      if (idle != null) {
        return idle;
      }
    }
    for (var address : withMany) {
      var idle = oldestIdle(byAddress.getOrDefault(address, Set.of()));
      if (idle != null) {
        return idle;
      }
    }
    var idle = oldestIdle(unproven);
    if (idle != null) {
      return idle;
    }
    // Whoever takes longest to send a request gives way.
    var oldest = unproven.iterator();
    return oldest.hasNext() ? oldest.next() : newest;
  }

  /// Busy ones are used just now, so they are looked at again after all others. Guarded by this.
  private @Nullable Place oldestIdleProven() {
    for (int i = Math.min(LOOKED_AT, proven.size()); i > 0; i--) {
      var place = proven.iterator().next();
      if (place.isIdle()) {
        return place;
      }
      proven.remove(place);
      proven.add(place);
    }
    return null;
  }

  private static @Nullable Place oldestIdle(Set<Place> some) {
    Iterator<Place> oldest = some.iterator();
    for (int i = 0; i < LOOKED_AT && oldest.hasNext(); i++) {
      var place = oldest.next();
      if (place.isIdle()) {
        return place;
      }
    }
    return null;
  }

  private synchronized void leave(Place place) {
    if (place.isClosed) {
      return;
    }
    place.isClosed = true;
    open--;
    forget(place);
    if (open < most / 2) {
      isFull = false;
    }
  }

  /// Removes it from those that can give way. Guarded by this.
  private void forget(Place place) {
    unproven.remove(place);
    proven.remove(place);
    if (place.address == null) {
      return;
    }
    var address = TrustedProxies.sender(place.address);
    var same = byAddress.get(address);
    if (same != null && same.remove(place)) {
      if (same.size() <= MANY) {
        withMany.remove(address);
      }
      if (same.isEmpty()) {
        byAddress.remove(address);
      }
    }
  }
}
