package dev.runnel.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A server that says byte for byte what a test wants, each connection on a thread of its own.
final class RawServer implements AutoCloseable {
  final List<String> requests = new CopyOnWriteArrayList<>();

  private final ServerSocket listening;

  /// What is said on one connection; it is closed afterwards.
  @FunctionalInterface
  interface Script {
    /// @param number of the connection: 1, 2, …
    void play(Socket socket, int number) throws Exception;
  }

  RawServer(Script script) throws IOException {
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(() -> accept(script));
  }

  URI baseUrl() {
    return URI.create("http://127.0.0.1:" + listening.getLocalPort() + "/api/v1");
  }

  /// Reads head and body of a request.
  ///
  /// @return false at the end of the connection
  boolean read(Socket socket) throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      var next = socket.getInputStream().read();
      if (next < 0) {
        return false;
      }
      head.append((char) next);
    }
    for (var line : head.toString().lines().toList()) {
      if (line.startsWith("Content-Length: ")) {
        var length = Integer.parseInt(line.substring("Content-Length: ".length()));
        head.append(new String(socket.getInputStream().readNBytes(length), StandardCharsets.UTF_8));
      }
    }
    requests.add(head.toString());
    return true;
  }

  static void write(Socket socket, byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  static byte[] ok(String body) {
    return ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
            + body.getBytes(StandardCharsets.UTF_8).length
            + "\r\n\r\n"
            + body)
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void accept(Script script) {
    for (int number = 1; !listening.isClosed(); number++) {
      try {
        var socket = listening.accept();
        var it = number;
        Thread.ofVirtual().start(() -> play(script, socket, it));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private static void play(Script script, Socket socket, int number) {
    try (socket) {
      script.play(socket, number);
    } catch (Exception clientLeft) {
      // What the client made of it is what the test looks at.
    }
  }
}
