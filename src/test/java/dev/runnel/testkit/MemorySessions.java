package dev.runnel.testkit;

import dev.runnel.core.port.Sessions;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// Sessions and links in memory.
public final class MemorySessions implements Sessions {
  private final Map<String, Instant> sessions = new HashMap<>();
  private final Map<String, Instant> links = new HashMap<>();
  private boolean isDown;

  /// From now on no session can be read.
  public synchronized void isDown() {
    isDown = true;
  }

  @Override
  public synchronized void begin(String secret, Instant until) {
    sessions.put(secret, until);
  }

  @Override
  public synchronized boolean isOpen(String secret, Instant now) {
    if (isDown) {
      throw new IllegalStateException("The database is down");
    }
    return sessions.getOrDefault(secret, Instant.MIN).isAfter(now);
  }

  @Override
  public synchronized void end(String secret) {
    sessions.remove(secret);
  }

  @Override
  public synchronized void endAll() {
    sessions.clear();
    links.clear();
  }

  @Override
  public synchronized void offer(String link, Instant until) {
    links.put(link, until);
  }

  @Override
  public synchronized boolean redeem(String link, Instant now) {
    var until = links.getOrDefault(link, Instant.MIN);
    return until.isAfter(now) && links.remove(link) != null;
  }
}
