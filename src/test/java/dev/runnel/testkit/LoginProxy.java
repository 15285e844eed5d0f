package dev.runnel.testkit;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// The proxy of a company, which demands a login (Basic) for each tunnel. All tunnels lead to one
/// server, or end at once.
public final class LoginProxy implements AutoCloseable {
  public static final String USER = "runnel";

  /// With the characters that an address encodes.
  public static final String PASSWORD = "p@ss:w/rd+100%";

  private static final String ENCODED = "p%40ss%3Aw%2Frd+100%25";

  /// The targets of tunnels that the proxy opened: `slack.com:443`.
  public final List<String> opened = new CopyOnWriteArrayList<>();

  /// The targets of tunnels that the proxy refused, because of the login.
  public final List<String> refused = new CopyOnWriteArrayList<>();

  /// How clients may log in.
  public volatile String scheme = "Basic realm=\"corp\"";

  private final ServerSocket server;
  private final Optional<InetSocketAddress> target;

  public LoginProxy() throws IOException {
    this(Optional.empty());
  }

  /// @param target where all tunnels lead to
  public LoginProxy(Optional<InetSocketAddress> target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  /// `127.0.0.1:3128`
  public String name() {
    return "127.0.0.1:" + port();
  }

  /// With the right login.
  public String url() {
    return "http://%s:%s@%s".formatted(USER, ENCODED, name());
  }

  private void accept() {
    try {
      while (true) {
        var client = server.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket client) {
    var expected =
        "Basic "
            + Base64.getEncoder()
                .encodeToString((USER + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8));
    try (client) {
      // The client speaks again only after the answer, so nothing else is in the buffer.
      var in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
      for (var first = in.readLine(); first != null; first = in.readLine()) {
        var login = "";
        for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
          if (line.toLowerCase(Locale.ROOT).startsWith("proxy-authorization:")) {
            login = line.substring(line.indexOf(':') + 1).strip();
          }
        }
        var asked = first.split(" ", 3)[1];
        if (login.equals(expected)) {
          opened.add(asked);
          say(client, "HTTP/1.1 200 OK\r\n\r\n");
          if (target.isPresent()) {
            connect(client, target.get());
          }
          return;
        }
        refused.add(asked);
        say(
            client,
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: %s\r\nContent-Length: 0\r\n\r\n"
                .formatted(scheme));
      }
    } catch (IOException broken) {
      // The client sees it.
    }
  }

  private static void say(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void connect(Socket client, InetSocketAddress target) throws IOException {
    try (var server = new Socket(target.getAddress(), target.getPort())) {
      var back = Thread.ofVirtual().start(() -> copy(server, client));
      copy(client, server);
      back.interrupt();
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException closed) {
      close(from);
    }
    close(to);
  }

  private static void close(Closeable socket) {
    try {
      socket.close();
    } catch (IOException alreadyClosed) {
      // Nothing to do.
    }
  }

  @Override
  public void close() {
    close(server);
  }
}
