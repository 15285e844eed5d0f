package dev.runnel.web;

import dev.runnel.memory.Lease;
import dev.runnel.memory.Share;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.jspecify.annotations.Nullable;

/// A connection that limits how many fields a head may have, and takes the memory of a head that
/// has not arrived completely from a share. It is closed if the share is spent.
final class BoundedHttpConnection extends HttpConnection {
  /// More than browsers, platforms and their proxies send together.
  static final int MAX_FIELDS = 100;

  /// A field takes this as objects besides its text, which is in the parser's buffer, too.
  private static final int FIELD_BYTES = 128;

  private static final int COPIES = 2;

  private final Share heads;

  /// Made while the superclass is constructed.
  @SuppressWarnings("NullAway.Init")
  private FieldLimit limit;

  private volatile Lease head = Lease.NONE;

  private BoundedHttpConnection(
      HttpConfiguration configuration, Connector connector, EndPoint endPoint, Share heads) {
    super(configuration, connector, endPoint);
    this.heads = heads;
  }

  static HttpConnectionFactory factory(HttpConfiguration configuration, Share heads) {
    return new HttpConnectionFactory(configuration) {
      @Override
      public Connection newConnection(Connector connector, EndPoint endPoint) {
        return configure(
            new BoundedHttpConnection(getHttpConfiguration(), connector, endPoint, heads),
            connector,
            endPoint);
      }
    };
  }

  @Override
  protected RequestHandler newRequestHandler() {
    limit = new FieldLimit();
    return limit;
  }

  @Override
  public void onFillable() {
    super.onFillable();
    var parser = getParser();
    if (parser.inHeaderState() && !parser.isStart()) {
      hold((long) COPIES * parser.getHeaderLength() + (long) FIELD_BYTES * limit.fields);
    } else if (head != Lease.NONE) {
      release();
    }
  }

  @Override
  public void onClose(@Nullable Throwable cause) {
    release();
    super.onClose(cause);
  }

  private synchronized void hold(long bytes) {
    long more = bytes - head.bytes();
    if (head == Lease.NONE) {
      head = heads.tryTake(bytes).orElse(Lease.NONE);
    } else if (more > 0 && !head.grow(more)) {
      release();
    }
    if (head == Lease.NONE || !getEndPoint().isOpen()) {
      release();
      getEndPoint().close();
    }
  }

  private synchronized void release() {
    head.close();
    head = Lease.NONE;
  }

  private final class FieldLimit extends RequestHandler {
    private int fields;

    @Override
    public void startRequest(String method, String uri, HttpVersion version) {
      fields = 0;
      super.startRequest(method, uri, version);
    }

    @Override
    public void parsedHeader(HttpField field) {
      fields++;
      if (fields > MAX_FIELDS) {
        throw new HttpException.RuntimeException(
            HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431, "Too many header fields");
      }
      super.parsedHeader(field);
    }
  }
}
