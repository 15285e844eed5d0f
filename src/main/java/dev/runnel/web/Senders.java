package dev.runnel.web;

import dev.runnel.memory.Lease;
import dev.runnel.memory.Share;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// The addresses that requests come from: what the unproven requests of each hold, and which have
/// shown a valid signature, key or session within the last hour. A proof of an address gives its
/// requests a place in the queue, never a right, because others may share it. Thread-safe.
final class Senders {
  private static final long PROOF_NANOS = Duration.ofHours(1).toNanos();
  private static final int MAX_PROVEN = 10_000;

  private final Share unproven;
  private final Share provenAddresses;
  private final Share provenConnections;
  private final LongSupplier nanoTime;

  // What follows is guarded by this.
  private final Map<InetAddress, Sender> active = new HashMap<>();

  /// When each gave a proof, the oldest first.
  private final Map<InetAddress, Long> proven = new LinkedHashMap<>();

  /// @param unproven of requests without proof; one address can take three quarters of it
  /// @param provenAddresses what requests from addresses with a proof can take if nothing is left
  ///   for them of the other
  /// @param provenConnections the same for connections with a proof
  Senders(Share unproven, Share provenAddresses, Share provenConnections, LongSupplier nanoTime) {
    this.unproven = unproven;
    this.provenAddresses = provenAddresses;
    this.provenConnections = provenConnections;
    this.nanoTime = nanoTime;
  }

  synchronized void proved(InetAddress address) {
    proven.remove(address);
    proven.put(address, nanoTime.getAsLong());
    if (proven.size() > MAX_PROVEN) {
      proven.remove(proven.keySet().iterator().next());
    }
  }

  synchronized boolean isProven(InetAddress address) {
    var since = proven.get(address);
    return since != null && nanoTime.getAsLong() - since < PROOF_NANOS;
  }

  /// Begins a request of the address.
  ///
  /// @param onProvenConnection whether the connection has carried a proof
  synchronized Request begin(InetAddress address, boolean onProvenConnection) {
    var sender = active.computeIfAbsent(address, Sender::new);
    sender.requests++;
    var shares = new ArrayList<Share>();
    shares.add(sender.share);
    if (onProvenConnection || isProven(address)) {
      shares.add(provenAddresses);
    }
    if (onProvenConnection) {
      shares.add(provenConnections);
    }
    return new Request(sender, shares);
  }

  private synchronized void end(Sender sender) {
    if (--sender.requests == 0) {
      active.remove(sender.address);
      sender.share.close();
    }
  }

  private synchronized boolean beginLargeBody(Sender sender) {
    if (sender.hasLargeBody) {
      return false;
    }
    sender.hasLargeBody = true;
    return true;
  }

  private synchronized void endLargeBody(Sender sender) {
    sender.hasLargeBody = false;
  }

  private final class Sender {
    private final InetAddress address;
    private final Share.Part share;

    // What follows is guarded by the senders.
    private int requests;
    private boolean hasLargeBody;

    Sender(InetAddress address) {
      this.address = address;
      this.share = unproven.part(address.getHostAddress(), 0, unproven.size() / 4 * 3);
    }
  }

  /// A request without proof. Used by its thread.
  final class Request implements AutoCloseable {
    private final Sender sender;

    /// In the order in which they are tried.
    private final List<Share> shares;

    private int tried;
    private boolean hasLargeBody;

    private Request(Sender sender, List<Share> shares) {
      this.sender = sender;
      this.shares = shares;
    }

    private boolean isProvenBefore() {
      return shares.size() > 1;
    }

    /// @return empty if the address holds enough, or the share is spent
    Optional<Lease> tryTake(long bytes) {
      var lease = shares.getFirst().tryTake(bytes);
      while (lease.isEmpty() && tried + 1 < shares.size()) {
        tried++;
        lease = shares.get(tried).tryTake(bytes);
      }
      return lease;
    }

    /// @param lease that [#tryTake] returned
    boolean grow(Lease lease, long more) {
      var isGrown = lease.grow(more);
      while (!isGrown && tried + 1 < shares.size()) {
        tried++;
        isGrown = lease.moveTo(shares.get(tried)) && lease.grow(more);
      }
      return isGrown;
    }

    /// Of the large bodies of an address without proof, one is read at a time.
    ///
    /// @return false if another one is being read
    boolean mayReadLargeBody() {
      if (!isProvenBefore() && !hasLargeBody) {
        hasLargeBody = beginLargeBody(sender);
        return hasLargeBody;
      }
      return true;
    }

    void endLargeBody() {
      if (hasLargeBody) {
        hasLargeBody = false;
        Senders.this.endLargeBody(sender);
      }
    }

    @Override
    public void close() {
      endLargeBody();
      end(sender);
    }
  }
}
