package dev.runnel.web;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/// Ends a connection whose request was answered before its body had arrived. Closing it at once
/// would reset it, and a sender that still writes would then never see the answer. So only the
/// sending half is closed; a little of what still arrives is discarded, then nothing more is read
/// until the time is over. Takes no thread.
final class LingeringClose extends AbstractConnection implements Connection.UpgradeTo {
  private static final Duration TIME = Duration.ofSeconds(1);
  private static final int MAX_DISCARDED = 256 * 1024;
  private static final int BUFFER_BYTES = 16 * 1024;

  private final Connector connector;
  private int left = MAX_DISCARDED;
  private volatile Scheduler.Task end = () -> false;

  private LingeringClose(HttpConnection answered) {
    super(answered.getEndPoint(), answered.getConnector().getExecutor());
    this.connector = answered.getConnector();
  }

  /// Lets the connection of the request end so once its response is written.
  static void after(Request request) {
    if (request.getConnectionMetaData().getConnection() instanceof HttpConnection connection) {
      request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, new LingeringClose(connection));
      request.addHttpStreamWrapper(Unread::new);
    }
  }

  /// A complete response counts as one although the body was not read. Jetty would otherwise reset
  /// the connection.
  private static final class Unread extends HttpStream.Wrapper {
    private Unread(HttpStream stream) {
      super(stream);
    }

    @Override
    public void failed(Throwable why) {
      if (why instanceof QuietException) {
        succeeded();
      } else {
        super.failed(why);
      }
    }
  }

  /// Discards what was received already.
  @Override
  public void onUpgradeTo(ByteBuffer received) {
    left -= received.remaining();
  }

  @Override
  public void onOpen() {
    super.onOpen();
    getEndPoint().shutdownOutput();
    end =
        connector
            .getScheduler()
            .schedule(() -> getEndPoint().close(), TIME.toMillis(), TimeUnit.MILLISECONDS);
    fillInterested();
  }

  @Override
  public void onFillable() {
    var buffer = connector.getByteBufferPool().acquire(BUFFER_BYTES, true);
    try {
      while (left > 0) {
        var bytes = buffer.getByteBuffer();
        bytes.clear().flip();
        int filled = getEndPoint().fill(bytes);
        if (filled < 0) {
          getEndPoint().close();
          return;
        }
        if (filled == 0) {
          fillInterested();
          return;
        }
        left -= filled;
      }
    } catch (IOException gone) {
      getEndPoint().close();
    } finally {
      buffer.release();
    }
  }

  @Override
  public void onClose(@Nullable Throwable cause) {
    end.cancel();
    super.onClose(cause);
  }
}
