package dev.runnel.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/// Ports for processes that are started a moment later. They lie below those that the system gives
/// to connections, each JVM of the tests has its own, and none is given twice, so that nobody else
/// takes one meanwhile.
final class FreePort {
  private static final int FORK = Integer.getInteger("runnel.fork", 0);
  private static final int SHARE = 4_000;
  private static final int FIRST = 12_000 + SHARE * (FORK % 5);
  private static final int LAST = FIRST + SHARE - 1;
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(FIRST, LAST));

  private FreePort() {}

  /// One that nobody listens on just now.
  static int next() {
    for (int tries = FIRST; tries < LAST; tries++) {
      var port = NEXT.updateAndGet(it -> it >= LAST ? FIRST : it + 1);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("All ports are taken");
  }

  private static boolean isFree(int port) {
    try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
