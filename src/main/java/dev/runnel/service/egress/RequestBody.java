package dev.runnel.service.egress;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// Copies the body of a request, and nothing behind it.
final class RequestBody {
  static final int BUFFER = 8 * 1024;
  private static final int MAX_LINE = 8 * 1024;
  private static final int MAX_TRAILERS = 100;

  /// Extensions are refused, because servers disagree on their ends and nobody uses them.
  private static final Pattern CHUNK_SIZE = Pattern.compile("^[0-9A-Fa-f]{1,8}");

  private final InputStream in;
  private final OutputStream out;
  private final byte[] buffer = new byte[BUFFER];

  private RequestBody(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  /// @throws IOException if it ends early or is malformed, after which the connection is unusable
  static void copy(RequestHead head, InputStream in, OutputStream out) throws IOException {
    var body = new RequestBody(in, out);
    if (head.isChunked()) {
      body.copyChunks();
    } else {
      body.copy(head.length());
    }
  }

  /// Copies everything up to the end of the input. Its buffer has a known size, unlike that of
  /// [InputStream#transferTo].
  static void copyAll(InputStream in, OutputStream out) throws IOException {
    var buffer = new byte[BUFFER];
    for (var count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      out.write(buffer, 0, count);
    }
  }

  private void copy(long length) throws IOException {
    for (var left = length; left > 0; ) {
      var count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (count < 0) {
        throw new EOFException("The body ends early");
      }
      out.write(buffer, 0, count);
      left -= count;
    }
  }

  /// Trailers are not forwarded.
  private void copyChunks() throws IOException {
    while (true) {
      var line = line();
      if (!CHUNK_SIZE.matcher(line).matches()) {
        throw new IOException("A chunk has no size");
      }
      var size = Long.parseLong(line, 16);
      if (size == 0) {
        break;
      }
      write(Long.toHexString(size) + "\r\n");
      copy(size);
      if (!line().isEmpty()) {
        throw new IOException("A chunk is longer than its size");
      }
      write("\r\n");
    }
    for (int trailers = 0; !line().isEmpty(); trailers++) {
      if (trailers >= MAX_TRAILERS) {
        throw new IOException("The body has too many trailers");
      }
    }
    write("0\r\n\r\n");
  }

  private void write(String line) throws IOException {
    out.write(line.getBytes(StandardCharsets.US_ASCII));
  }

  /// A line without its end, which is CR LF.
  private String line() throws IOException {
    var line = new StringBuilder();
    for (var next = in.read(); next != '\r'; next = in.read()) {
      if (next < 0 || next == '\n' || line.length() >= MAX_LINE) {
        throw new IOException("A line of the body has no end");
      }
      line.append((char) next);
    }
    if (in.read() != '\n') {
      throw new IOException("A line of the body has a carriage return");
    }
    return line.toString();
  }
}
