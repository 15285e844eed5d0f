package dev.runnel.web;

import dev.runnel.threads.SupervisedThread;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.AbstractLifeCycle;

/// Limits the time that the request line and the headers may take to arrive. Jetty's idle timeout
/// restarts with each byte, so slow clients (the "Slowloris" attack) could use up the server's
/// connections.
final class HeaderTimeout extends AbstractLifeCycle implements Connection.Listener {
  private static final byte[] LATE =
      "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  /// How often each connection is looked at while a head may take its time.
  private static final int SWEEPS = 10;

  private final Server server;
  private final Duration timeout;
  private final Map<HttpConnection, Progress> connections = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor sweeps =
      new ScheduledThreadPoolExecutor(1, SupervisedThread.daemons("header-timeout"));

  HeaderTimeout(Server server, Duration timeout) {
    this.server = server;
    this.timeout = timeout;
  }

  /// What a connection had received when it last waited for a request. Used by the sweeping thread.
  private static final class Progress {
    private boolean isBusy;
    private long requests;
    private long bytes;

    /// When the head that is arriving can have begun, by `System.nanoTime()`.
    private long since = System.nanoTime();
  }

  @Override
  protected void doStart() {
    for (Connector connector : server.getConnectors()) {
      connector.addEventListener(this);
    }
    var pause = Math.max(1, timeout.toMillis() / SWEEPS);
    var _ =
        sweeps.scheduleWithFixedDelay(
            SupervisedThread.repeatable("header-timeout", this::sweep),
            pause,
            pause,
            TimeUnit.MILLISECONDS);
  }

  @Override
  protected void doStop() {
    sweeps.shutdownNow();
  }

  @Override
  public void onOpened(Connection connection) {
    if (connection instanceof HttpConnection http) {
      connections.put(http, new Progress());
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
    connections.forEach((connection, progress) -> check(connection, progress, now));
  }

  private void check(HttpConnection connection, Progress progress, long now) {
    var requests = connection.getMessagesIn();
    var bytes = connection.getBytesIn();
    var parser = connection.getParser();
    if (progress.isBusy || requests != progress.requests) {
      // What has arrived belongs to a request, or to the next one that began since the last sweep.
      progress.requests = requests;
      progress.bytes = bytes;
      progress.since = now;
    }
    progress.isBusy = !parser.inHeaderState();
    if (parser.isStart() && bytes == progress.bytes) {
      // Without a byte of the next head the connection is idle, which Jetty limits.
      progress.since = now;
    }
    if (!progress.isBusy && now - progress.since > timeout.toNanos()) {
      end(connection);
    }
  }

  private static void end(HttpConnection connection) {
    var endPoint = connection.getEndPoint();
    try {
      endPoint.write(Callback.from(endPoint::close), ByteBuffer.wrap(LATE));
    } catch (RuntimeException writing) {
      endPoint.close();
    }
  }
}
