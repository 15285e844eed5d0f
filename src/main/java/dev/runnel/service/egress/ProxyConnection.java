package dev.runnel.service.egress;

import dev.runnel.threads.SupervisedThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection of an agent to the [EgressProxy]: reads its request, and connects it to the
/// server if the rules permit that. Not thread-safe.
final class ProxyConnection {
  private static final Logger log = LoggerFactory.getLogger(ProxyConnection.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final String ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";
  private static final Set<String> REMOVED_HEADERS =
      Set.of("host", "connection", "keep-alive", "proxy-connection", "proxy-authorization");
  private static final int MAX_HOST = 253;

  /// The size in bytes of what the connection reads ahead, and of one buffer for each direction.
  static final int BUFFERS = 3 * RequestBody.BUFFER;

  private final EgressProxy proxy;
  private final InputStream in;
  private final OutputStream out;

  /// @param in supports `mark`
  ProxyConnection(EgressProxy proxy, InputStream in, OutputStream out) {
    this.proxy = proxy;
    this.in = in;
    this.out = out;
  }

  /// Returns when one side has closed.
  void serve() throws IOException {
    var head = readHead();
    if (head.isPresent()) {
      handle(head.get());
    }
  }

  private void handle(RequestHead head) throws IOException {
    var isTunnel = head.method().equals("CONNECT");
    URI target;
    try {
      target = new URI(isTunnel ? "https://" + head.target() : head.target());
    } catch (URISyntaxException _) {
      respond("400 Bad Request", "This proxy needs an absolute URL.");
      return;
    }
    var host = target.getHost();
    var isAbsolute = isTunnel ? target.getPort() > 0 : "http".equalsIgnoreCase(target.getScheme());
    if (host == null || host.length() > MAX_HOST || !isAbsolute || target.getUserInfo() != null) {
      respond("400 Bad Request", "This proxy needs an absolute URL with a host.");
      return;
    }
    var port = EgressRules.port(target);
    if (isTunnel && host.equals(ModelGateway.HOST)) {
      serveModel();
      return;
    }
    if (!isTunnel && host.equals(GitGateway.HOST)) {
      var gateway =
          proxy.extras().repositories().stream()
              .filter(it -> it.accepts(head.method(), target))
              .findFirst();
      if (gateway.isEmpty()) {
        respond(
            "403 Forbidden",
            "Runnel adds a login only to fetches and pushes of git in repositories of the"
                + " environment that have push: true.");
        return;
      }
      var it = gateway.get();
      proxy.extras().witness().inspect(it, head, target, in);
      var preamble =
          new Preamble("", it.forwarded(head, target), Optional.of(head), it.isEncrypted());
      connectIfPermitted(proxy.rules(), it.host(), it.port(), preamble);
      return;
    }
    var prefix =
        proxy.extras().pathPrefixes().stream().filter(it -> isAt(it, host, port)).findFirst();
    if (prefix.isPresent()) {
      servePathPrefix(prefix.get(), isTunnel, target, head);
      return;
    }
    connectIfPermitted(
        proxy.rules(),
        host,
        port,
        isTunnel
            ? new Preamble(ESTABLISHED, "", Optional.empty(), false)
            : new Preamble("", forwarded(head, target), Optional.of(head), false));
  }

  private static boolean isAt(URI address, String host, int port) {
    return address.getHost().equalsIgnoreCase(EgressRules.normalize(host))
        && port == EgressRules.port(address);
  }

  /// Handles a request to a model provider, in a tunnel without TLS.
  private void serveModel() throws IOException {
    out.write(ESTABLISHED.getBytes(StandardCharsets.US_ASCII));
    var read = readHead();
    if (read.isEmpty()) {
      return;
    }
    var head = read.get();
    if (head.values("upgrade").findAny().isPresent()) {
      // With this status, Codex goes on without a web socket at once.
      respond("426 Upgrade Required", "Runnel forwards plain HTTP requests only.");
      return;
    }
    var gateway =
        proxy.extras().models().stream()
            .filter(it -> it.accepts(head.method(), head.target()))
            .findFirst();
    if (gateway.isEmpty()) {
      respond("403 Forbidden", "Runnel adds the key only to the requests that the agent needs.");
      return;
    }
    var it = gateway.get();
    var forwarded = it.forwarded(head);
    if (forwarded.isEmpty()) {
      respond("401 Unauthorized", "The placeholder for the key is missing.");
      return;
    }
    connectIfPermitted(
        it.rules(),
        it.host(),
        it.port(),
        new Preamble("", forwarded.get(), read, it.isEncrypted()));
  }

  /// Handles a request to a service at which only paths below a prefix are permitted. In a tunnel
  /// it reads the request itself, which is possible because the service does not use TLS.
  private void servePathPrefix(URI bound, boolean isTunnel, URI target, RequestHead head)
      throws IOException {
    var request = Optional.of(head);
    if (isTunnel) {
      out.write(ESTABLISHED.getBytes(StandardCharsets.US_ASCII));
      request = readHead();
      if (request.isEmpty()) {
        return;
      }
    }
    var requested = isTunnel ? absolute(bound, request.get().target()) : Optional.of(target);
    if (requested.isEmpty() || !isBelow(bound, requested.get().getRawPath())) {
      respond("403 Forbidden", "Runnel permits only %s here.".formatted(bound.getRawPath()));
      return;
    }
    var preamble = new Preamble("", forwarded(request.get(), requested.get()), request, false);
    connectIfPermitted(proxy.rules(), bound.getHost(), EgressRules.port(bound), preamble);
  }

  private static Optional<URI> absolute(URI bound, String path) {
    try {
      return path.startsWith("/")
          ? Optional.of(new URI("http://" + bound.getRawAuthority() + path))
          : Optional.empty();
    } catch (URISyntaxException _) {
      return Optional.empty();
    }
  }

  /// A server could resolve dots and escapes, so a path with them is refused.
  private static boolean isBelow(URI bound, String path) {
    var base = bound.getRawPath().replaceAll("(?<!/)/+$", "");
    return (path.equals(base) || path.startsWith(base + "/"))
        && !path.contains("..")
        && !path.contains("//")
        && !path.toLowerCase(Locale.ROOT).matches("^.*%(2e|2f|5c|25).*");
  }

  /// What is sent to both sides before bytes are copied.
  ///
  /// @param request whose body is copied, and nothing behind it, since a second request would not
  ///   be checked; empty in a tunnel, which copies everything
  /// @param encrypted whether the proxy itself uses TLS to the server
  private record Preamble(
      String toClient, String toServer, Optional<RequestHead> request, boolean encrypted) {}

  private void connectIfPermitted(EgressRules permitted, String host, int port, Preamble preamble)
      throws IOException {
    var request = new EgressProxy.Request(EgressRules.normalize(host), port, true);
    switch (proxy.addresses().check(permitted, request.host(), port)) {
      case AddressCheck.Verdict.Refused(String why) -> {
        proxy.report(new EgressProxy.Request(request.host(), port, false));
        respond("403 Runnel does not permit %s (agents.egress)".formatted(request), why);
      }
      case AddressCheck.Verdict.HostNotFound _ -> {
        proxy.report(request);
        respond("502 Bad Gateway", "There is no host %s.".formatted(request.host()));
      }
      case AddressCheck.Verdict.Permitted(List<InetAddress> addresses) -> {
        proxy.report(request);
        connect(request, addresses, preamble);
      }
    }
  }

  private void connect(EgressProxy.Request request, List<InetAddress> addresses, Preamble preamble)
      throws IOException {
    try (var plain = socket(addresses, request.port())) {
      proxy.opened(plain);
      try (var remote = preamble.encrypted() ? encrypted(plain, request) : plain) {
        if (!proxy.isOpen()) {
          // Perhaps close() did not see it.
          return;
        }
        out.write(preamble.toClient().getBytes(StandardCharsets.ISO_8859_1));
        remote.getOutputStream().write(preamble.toServer().getBytes(StandardCharsets.ISO_8859_1));
        var responses =
            SupervisedThread.virtual(
                "egress-responses",
                () -> copyToClient(remote),
                _ -> {
                  EgressProxy.closeQuietly(out);
                  EgressProxy.closeQuietly(remote);
                });
        if (preamble.request().isPresent()) {
          RequestBody.copy(preamble.request().get(), in, remote.getOutputStream());
          // Notices when the client closes the connection.
          RequestBody.copyAll(in, OutputStream.nullOutputStream());
        } else {
          RequestBody.copyAll(in, remote.getOutputStream());
        }
        remote.shutdownOutput();
        responses.join();
      } finally {
        proxy.closed(plain);
      }
    } catch (ConnectFailed e) {
      respond("502 Bad Gateway", "%s does not answer.".formatted(request));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private Socket encrypted(Socket plain, EgressProxy.Request request) throws ConnectFailed {
    try {
      var socket =
          (SSLSocket) proxy.tls().createSocket(plain, request.host(), request.port(), true);
      var parameters = socket.getSSLParameters();
      // Checks the name in the certificate.
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      plain.setSoTimeout((int) CONNECT_TIMEOUT.toMillis());
      socket.startHandshake();
      plain.setSoTimeout(0);
      return socket;
    } catch (IOException e) {
      log.warn("no encrypted connection host={} error={}", request, e.toString());
      throw new ConnectFailed();
    }
  }

  private static final class ConnectFailed extends IOException {
    private static final long serialVersionUID = 1;
  }

  private static Socket socket(List<InetAddress> addresses, int port) throws ConnectFailed {
    for (var address : addresses) {
      var remote = new Socket();
      try {
        remote.connect(new InetSocketAddress(address, port), (int) CONNECT_TIMEOUT.toMillis());
        return remote;
      } catch (IOException _) {
        EgressProxy.closeQuietly(remote);
      }
    }
    throw new ConnectFailed();
  }

  private void copyToClient(Socket remote) {
    try {
      RequestBody.copyAll(remote.getInputStream(), out);
    } catch (IOException _) {
      // One side has closed the connection.
    }
  }

  /// The request as the server expects it: without the host in its first line, and without the
  /// headers for the proxy.
  private static String forwarded(RequestHead head, URI target) {
    var path = target.getRawPath().isEmpty() ? "/" : target.getRawPath();
    var query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
    var headers =
        head.headers().stream()
            .filter(header -> !REMOVED_HEADERS.contains(header.lowerCaseName()))
            .toList();
    return head.forwarded(target.getRawAuthority(), path + query, headers);
  }

  /// Reads a request up to its body.
  ///
  /// @return empty if the client closed the connection, or got an error for a malformed request
  private Optional<RequestHead> readHead() throws IOException {
    try {
      return RequestHead.read(in);
    } catch (MalformedRequestException e) {
      respond("400 Bad Request", e.why());
      return Optional.empty();
    }
  }

  void respond(String status, String text) throws IOException {
    var body = (text + "\n").getBytes(StandardCharsets.UTF_8);
    out.write(
        """
        HTTP/1.1 %s\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Length: %d\r
        Connection: close\r
        \r
        """
            .formatted(status, body.length)
            .getBytes(StandardCharsets.US_ASCII));
    out.write(body);
  }
}
