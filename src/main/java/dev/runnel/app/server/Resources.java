package dev.runnel.app.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The open resources of the server, closed in reverse order. Thread-safe.
final class Resources implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Resources.class);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T opened(T resource) {
    open.push(resource);
    return resource;
  }

  @Override
  public synchronized void close() {
    while (!open.isEmpty()) {
      var resource = open.pop();
      try {
        resource.close();
      } catch (Exception e) {
        log.error("not closed resource={}", resource.getClass().getSimpleName(), e);
      }
    }
  }
}
