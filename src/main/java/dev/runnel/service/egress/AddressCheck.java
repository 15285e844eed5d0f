package dev.runnel.service.egress;

import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Semaphore;

/// Resolves the hosts that an agent requests, and decides to which of their addresses it may
/// connect. Thread-safe.
final class AddressCheck {
  /// Each lookup occupies a thread of the machine, of which there are few, until it ends or times
  /// out. An agent decides how long that takes.
  private static final int MAX_LOOKUPS = 8;

  private final EgressProxy.Resolver resolver;
  private final Semaphore lookups = new Semaphore(MAX_LOOKUPS);

  AddressCheck(EgressProxy.Resolver resolver) {
    this.resolver = resolver;
  }

  sealed interface Verdict {
    record Permitted(List<InetAddress> addresses) implements Verdict {}

    record Refused(String why) implements Verdict {}

    /// The host name has no address.
    record HostNotFound() implements Verdict {}
  }

  /// If a name has both public and internal addresses, only the public ones are permitted.
  Verdict check(EgressRules permitting, String host, int port) {
    var isInternal = permitting.permitsInternal(host, port);
    if (!isInternal && !permitting.permits(host, port)) {
      return new Verdict.Refused(
          "Runnel does not permit connections to %s:%d. An operator can permit it with agents.egress in runnel.yaml, or with egress of the environment."
              .formatted(host, port));
    }
    List<InetAddress> all;
    try {
      all = resolve(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
    } catch (UnknownHostException _) {
      return new Verdict.HostNotFound();
    }
    var permitted = all.stream().filter(each -> isInternal || isPublicAndRemote(each)).toList();
    if (permitted.isEmpty()) {
      return new Verdict.Refused(
          "Runnel does not permit connections to %1$s:%2$d, which belongs to this machine or an internal network. An operator can permit it with internal:%1$s:%2$d in agents.egress in runnel.yaml, or in egress of the environment."
              .formatted(host, port));
    }
    return new Verdict.Permitted(permitted);
  }

  private List<InetAddress> resolve(String host) throws UnknownHostException {
    lookups.acquireUninterruptibly();
    try {
      return resolver.resolve(host);
    } finally {
      lookups.release();
    }
  }

  /// Whether an address is public, and neither one of this machine nor in a network that this
  /// machine is attached to.
  private boolean isPublicAndRemote(InetAddress address) {
    try {
      return EgressRules.isPublic(address)
          && resolver.ownAddresses().stream()
              .noneMatch(
                  own ->
                      own.address().equals(address)
                          || EgressRules.isInSameNetwork(address, own.address(), own.prefix()));
    } catch (SocketException _) {
      return false;
    }
  }
}
