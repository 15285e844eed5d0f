package dev.runnel.web;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;

/// Limits the time that the request line and the headers may take to arrive. Jetty's idle timeout
/// restarts with each byte, so slow clients (the "Slowloris" attack) could use up the server's
/// connections.
final class HeaderTimeout extends AbstractLifeCycle implements Connection.Listener {
  private final Server server;
  private final Duration timeout;
  private final Map<HttpConnection, Progress> connections = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor sweeps =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("header-timeout").factory());

  HeaderTimeout(Server server, Duration timeout) {
    this.server = server;
    this.timeout = timeout;
  }

  /// What a connection had received at the last sweep.
  ///
  /// @param since by `System.nanoTime()`
  private record Progress(long requests, long bytes, long since) {}

  @Override
  protected void doStart() {
    for (Connector connector : server.getConnectors()) {
      connector.addEventListener(this);
    }
    var pause = Math.max(1, timeout.toMillis() / 4);
    var _ = sweeps.scheduleWithFixedDelay(this::sweep, pause, pause, TimeUnit.MILLISECONDS);
  }

  @Override
  protected void doStop() {
    sweeps.shutdownNow();
  }

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof HttpConnection http) {
      connections.put(http, new Progress(0, 0, System.nanoTime()));
    }
  }

  @Override
  public void onClosed(Connection connection) {
    if (connection instanceof HttpConnection http) {
      connections.remove(http);
    }
  }

  private void sweep() {
    var now = System.nanoTime();
    connections.forEach((connection, before) -> check(connection, before, now));
  }

  private void check(HttpConnection connection, Progress before, long now) {
    var after = new Progress(connection.getMessagesIn(), connection.getBytesIn(), now);
    if (!connection.getParser().inHeaderState()
        || after.requests() != before.requests()
        || after.bytes() == before.bytes()) {
      // The headers are complete, or the connection is idle, which Jetty limits.
      connections.replace(connection, before, after);
    } else if (now - before.since() > timeout.toNanos()) {
      connection.getEndPoint().close();
    }
  }
}
