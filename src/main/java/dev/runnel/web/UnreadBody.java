package dev.runnel.web;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/// The response to a request whose body may not be read to its end: the rest of it is not awaited,
/// and the connection is not used again.
final class UnreadBody extends Response.Wrapper {
  private boolean isChecked;

  private UnreadBody(Request request, Response response) {
    super(request, response);
  }

  static Response check(Request request, Response response) {
    return request.getLength() == 0 ? response : new UnreadBody(request, response);
  }

  @Override
  public void write(boolean last, ByteBuffer content, Callback callback) {
    if (!isChecked) {
      isChecked = true;
      if (!getRequest().consumeAvailable()) {
        getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
        LingeringClose.after(getRequest());
      }
    }
    super.write(last, content, callback);
  }
}
