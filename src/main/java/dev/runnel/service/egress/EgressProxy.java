package dev.runnel.service.egress;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An HTTP proxy on a Unix socket, through which the agent of one execution reaches the hosts that
/// its [EgressRules] permit. It handles `CONNECT` and plain HTTP with one request per connection.
/// It resolves names itself and connects to the address that it has checked, so that a name whose
/// address changes in between (DNS rebinding) cannot bypass the check.
public final class EgressProxy implements AutoCloseable {
  /// A connection that the agent requested, and whether it was permitted.
  public record Request(String host, int port, boolean permitted) {
    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  /// What the proxy provides in addition to the hosts of its rules.
  ///
  /// @param repositories the repositories to whose requests it adds credentials
  /// @param models the model providers to whose requests it adds a key
  /// @param pathPrefixes `http` URLs with a path: at these services, only paths below it are
  ///   permitted
  /// @param witness inspects the pushes to the repositories
  public record Extras(
      List<GitGateway> repositories,
      List<ModelGateway> models,
      List<URI> pathPrefixes,
      PushWitness witness) {
    static final Extras NONE = new Extras(List.of(), List.of(), List.of());

    /// Without inspection of pushes.
    Extras(List<GitGateway> repositories, List<ModelGateway> models, List<URI> pathPrefixes) {
      this(repositories, models, pathPrefixes, new PushWitness(_ -> {}));
    }

    public Extras {
      repositories = List.copyOf(repositories);
      models = List.copyOf(models);
      pathPrefixes = List.copyOf(pathPrefixes);
    }
  }

  /// An address of this machine, and the prefix length of its network in bits.
  public record OwnAddress(InetAddress address, int prefix) {}

  /// Resolves a host name.
  @FunctionalInterface
  public interface Resolver {
    List<InetAddress> resolve(String host) throws UnknownHostException;

    /// The addresses of the machine on which the names are resolved.
    default List<OwnAddress> ownAddresses() throws SocketException {
      return NetworkInterface.networkInterfaces()
          .flatMap(each -> Stream.concat(Stream.of(each), each.subInterfaces()))
          .flatMap(each -> each.getInterfaceAddresses().stream())
          .map(it -> new OwnAddress(it.getAddress(), it.getNetworkPrefixLength()))
          .toList();
    }

    /// The resolver of this machine.
    static Resolver system() {
      return host -> List.of(InetAddress.getAllByName(host));
    }
  }

  private static final Logger log = LoggerFactory.getLogger(EgressProxy.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final String ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";
  private static final Set<String> REMOVED_HEADERS =
      Set.of("host", "connection", "keep-alive", "proxy-connection", "proxy-authorization");
  private static final int MAX_HEAD = 32 * 1024;
  private static final int MAX_CONNECTIONS = 128;
  private static final int MAX_HOST = 253;

  /// Each lookup occupies a thread of the machine, of which there are few, until it ends or times
  /// out. An agent decides how long that takes.
  private static final int MAX_LOOKUPS = 8;

  private static final Duration ACCEPT_RETRY_DELAY = Duration.ofMillis(100);

  /// How many different hosts are reported at most; an agent could request any number.
  public static final int MAX_REPORTED = 200;

  private final ServerSocketChannel server;
  private final Path socket;
  private final EgressRules rules;
  private final Extras extras;
  private final SSLSocketFactory tls;
  private final Resolver resolver;
  private final Consumer<Request> onRequest;
  private final Semaphore connections = new Semaphore(MAX_CONNECTIONS);
  private final Semaphore lookups = new Semaphore(MAX_LOOKUPS);
  private final Set<Request> reported = ConcurrentHashMap.newKeySet();
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();

  private EgressProxy(
      ServerSocketChannel server,
      Path socket,
      EgressRules rules,
      Extras extras,
      SSLSocketFactory tls,
      Resolver resolver,
      Consumer<Request> onRequest) {
    this.server = server;
    this.socket = socket;
    this.rules = rules;
    this.extras = extras;
    this.tls = tls;
    this.resolver = resolver;
    this.onRequest = onRequest;
  }

  /// Listens on a socket, until closed.
  ///
  /// @param socket its path, in a folder that only this user can write to; at most about 100
  ///   characters
  /// @param onRequest receives each requested host once; called by several threads
  /// @throws IOException if it cannot listen there
  public static EgressProxy listen(
      Path socket, EgressRules rules, Resolver resolver, Consumer<Request> onRequest)
      throws IOException {
    return listen(socket, rules, Extras.NONE, resolver, onRequest);
  }

  /// The same, with gateways and path prefixes.
  public static EgressProxy listen(
      Path socket, EgressRules rules, Extras extras, Resolver resolver, Consumer<Request> onRequest)
      throws IOException {
    var tls = (SSLSocketFactory) SSLSocketFactory.getDefault();
    return listen(socket, rules, extras, tls, resolver, onRequest);
  }

  /// @param tls checks the certificates of the gateways' servers
  static EgressProxy listen(
      Path socket,
      EgressRules rules,
      Extras extras,
      SSLSocketFactory tls,
      Resolver resolver,
      Consumer<Request> onRequest)
      throws IOException {
    Files.deleteIfExists(socket);
    var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(UnixDomainSocketAddress.of(socket));
    } catch (IOException e) {
      server.close();
      throw e;
    }
    var proxy = new EgressProxy(server, socket, rules, extras, tls, resolver, onRequest);
    Thread.ofVirtual().name("egress-proxy").start(proxy::accept);
    return proxy;
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (var each : open) {
      closeQuietly(each);
    }
    Files.deleteIfExists(socket);
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        connections.acquire();
        var client = server.accept();
        open.add(client);
        if (!server.isOpen()) {
          // Perhaps close() did not see it.
          closeQuietly(client);
        }
        Thread.ofVirtual().name("egress").start(() -> serve(client));
      } catch (IOException _) {
        // Closed, or out of file descriptors for a while.
        connections.release();
        pause();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(ACCEPT_RETRY_DELAY);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      var in = new BufferedInputStream(Channels.newInputStream(client));
      var out = Channels.newOutputStream(client);
      var head = readHead(in, out);
      if (head.isPresent()) {
        handle(head.get(), in, out);
      }
    } catch (IOException | RuntimeException e) {
      log.debug("connection of an agent ended", e);
    } finally {
      open.remove(client);
      connections.release();
    }
  }

  private void handle(RequestHead head, InputStream in, OutputStream out) throws IOException {
    var isTunnel = head.method().equals("CONNECT");
    URI target;
    try {
      target = new URI(isTunnel ? "https://" + head.target() : head.target());
    } catch (URISyntaxException _) {
      respond(out, "400 Bad Request", "This proxy needs an absolute URL.");
      return;
    }
    var host = target.getHost();
    var isAbsolute = isTunnel ? target.getPort() > 0 : "http".equalsIgnoreCase(target.getScheme());
    if (host == null || host.length() > MAX_HOST || !isAbsolute || target.getUserInfo() != null) {
      respond(out, "400 Bad Request", "This proxy needs an absolute URL with a host.");
      return;
    }
    var port = EgressRules.port(target);
    if (isTunnel && host.equals(ModelGateway.HOST)) {
      serveModel(in, out);
      return;
    }
    if (!isTunnel && host.equals(GitGateway.HOST)) {
      var gateway =
          extras.repositories().stream()
              .filter(it -> it.accepts(head.method(), target))
              .findFirst();
      if (gateway.isEmpty()) {
        respond(
            out,
            "403 Forbidden",
            "Runnel adds a login only to fetches and pushes of git in repositories of the"
                + " environment that have push: true.");
        return;
      }
      var it = gateway.get();
      extras.witness().inspect(it, head, target, in);
      var preamble = new Preamble("", it.forwarded(head, target), it.isEncrypted());
      connectIfPermitted(rules, it.host(), it.port(), preamble, in, out);
      return;
    }
    var prefix = extras.pathPrefixes().stream().filter(it -> isAt(it, host, port)).findFirst();
    if (prefix.isPresent()) {
      servePathPrefix(prefix.get(), isTunnel, target, head, in, out);
      return;
    }
    connectIfPermitted(
        rules,
        host,
        port,
        isTunnel
            ? new Preamble(ESTABLISHED, "", false)
            : new Preamble("", forwarded(head, target), false),
        in,
        out);
  }

  private static boolean isAt(URI address, String host, int port) {
    return address.getHost().equalsIgnoreCase(EgressRules.normalize(host))
        && port == EgressRules.port(address);
  }

  /// Handles a request to a model provider, in a tunnel without TLS.
  private void serveModel(InputStream in, OutputStream out) throws IOException {
    out.write(ESTABLISHED.getBytes(StandardCharsets.US_ASCII));
    var read = readHead(in, out);
    if (read.isEmpty()) {
      return;
    }
    var head = read.get();
    if (head.values("upgrade").findAny().isPresent()) {
      // With this status, Codex goes on without a web socket at once.
      respond(out, "426 Upgrade Required", "Runnel forwards plain HTTP requests only.");
      return;
    }
    var gateway =
        extras.models().stream().filter(it -> it.accepts(head.method(), head.target())).findFirst();
    if (gateway.isEmpty()) {
      respond(
          out, "403 Forbidden", "Runnel adds the key only to the requests that the agent needs.");
      return;
    }
    var it = gateway.get();
    var forwarded = it.forwarded(head);
    if (forwarded.isEmpty()) {
      respond(out, "401 Unauthorized", "The placeholder for the key is missing.");
      return;
    }
    connectIfPermitted(
        it.rules(),
        it.host(),
        it.port(),
        new Preamble("", forwarded.get(), it.isEncrypted()),
        in,
        out);
  }

  /// Handles a request to a service at which only paths below a prefix are permitted. In a tunnel
  /// it reads the request itself, which is possible because the service does not use TLS.
  private void servePathPrefix(
      URI bound, boolean isTunnel, URI target, RequestHead head, InputStream in, OutputStream out)
      throws IOException {
    var request = Optional.of(head);
    if (isTunnel) {
      out.write(ESTABLISHED.getBytes(StandardCharsets.US_ASCII));
      request = readHead(in, out);
      if (request.isEmpty()) {
        return;
      }
    }
    var requested = isTunnel ? absolute(bound, request.get().target()) : Optional.of(target);
    if (requested.isEmpty() || !isBelow(bound, requested.get().getRawPath())) {
      respond(out, "403 Forbidden", "Runnel permits only %s here.".formatted(bound.getRawPath()));
      return;
    }
    var preamble = new Preamble("", forwarded(request.get(), requested.get()), false);
    connectIfPermitted(rules, bound.getHost(), EgressRules.port(bound), preamble, in, out);
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
    var base = bound.getRawPath().replaceAll("/+$", "");
    return (path.equals(base) || path.startsWith(base + "/"))
        && !path.contains("..")
        && !path.contains("//")
        && !path.toLowerCase(Locale.ROOT).matches(".*%(2e|2f|5c|25).*");
  }

  /// What is sent to both sides before bytes are copied unchanged.
  ///
  /// @param encrypted whether the proxy itself uses TLS to the server
  private record Preamble(String toClient, String toServer, boolean encrypted) {}

  private void connectIfPermitted(
      EgressRules permitted,
      String host,
      int port,
      Preamble preamble,
      InputStream in,
      OutputStream out)
      throws IOException {
    var request = new Request(EgressRules.normalize(host), port, true);
    switch (check(permitted, request.host(), port)) {
      case Verdict.Refused(String why) -> {
        report(new Request(request.host(), port, false));
        respond(out, "403 Runnel does not permit %s (agents.egress)".formatted(request), why);
      }
      case Verdict.HostNotFound _ -> {
        report(request);
        respond(out, "502 Bad Gateway", "There is no host %s.".formatted(request.host()));
      }
      case Verdict.Permitted(List<InetAddress> addresses) -> {
        report(request);
        connect(request, addresses, preamble, in, out);
      }
    }
  }

  private void connect(
      Request request,
      List<InetAddress> addresses,
      Preamble preamble,
      InputStream in,
      OutputStream out)
      throws IOException {
    try (var plain = socket(addresses, request.port())) {
      open.add(plain);
      try (var remote = preamble.encrypted() ? encrypted(plain, request) : plain) {
        if (!server.isOpen()) {
          // Perhaps close() did not see it.
          return;
        }
        out.write(preamble.toClient().getBytes(StandardCharsets.ISO_8859_1));
        remote.getOutputStream().write(preamble.toServer().getBytes(StandardCharsets.ISO_8859_1));
        var responses = Thread.ofVirtual().start(() -> copyToClient(remote, out));
        in.transferTo(remote.getOutputStream());
        remote.shutdownOutput();
        responses.join();
      } finally {
        open.remove(plain);
      }
    } catch (ConnectFailed e) {
      respond(out, "502 Bad Gateway", "%s does not answer.".formatted(request));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private Socket encrypted(Socket plain, Request request) throws ConnectFailed {
    try {
      var socket = (SSLSocket) tls.createSocket(plain, request.host(), request.port(), true);
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

  private sealed interface Verdict {
    record Permitted(List<InetAddress> addresses) implements Verdict {}

    record Refused(String why) implements Verdict {}

    /// The host name has no address.
    record HostNotFound() implements Verdict {}
  }

  /// If a name has both public and internal addresses, only the public ones are permitted.
  private Verdict check(EgressRules permitting, String host, int port) {
    var isInternal = permitting.permitsInternal(host, port);
    if (!isInternal && !permitting.permits(host, port)) {
      return new Verdict.Refused(
          "Runnel does not permit connections to %s:%d. An operator can permit it with agents.egress in runnel.yaml, or with egress of the environment."
              .formatted(host, port));
    }
    List<InetAddress> all;
    try {
      all = resolve(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
    } catch (UnknownHostException _) {
      return new Verdict.HostNotFound();
    }
    var permitted = all.stream().filter(each -> isInternal || isPublicAndRemote(each)).toList();
    if (permitted.isEmpty()) {
      return new Verdict.Refused(
          "Runnel does not permit connections to %1$s:%2$d, which belongs to this machine or an internal network. An operator can permit it with internal:%1$s:%2$d in agents.egress in runnel.yaml, or in egress of the environment."
              .formatted(host, port));
    }
    return new Verdict.Permitted(permitted);
  }

  private List<InetAddress> resolve(String host) throws UnknownHostException {
    lookups.acquireUninterruptibly();
    try {
      return resolver.resolve(host);
    } finally {
      lookups.release();
    }
  }

  /// Whether an address is public, and neither one of this machine nor in a network that this
  /// machine is attached to.
  private boolean isPublicAndRemote(InetAddress address) {
    try {
      return EgressRules.isPublic(address)
          && resolver.ownAddresses().stream()
              .noneMatch(
                  own ->
                      own.address().equals(address)
                          || EgressRules.isInSameNetwork(address, own.address(), own.prefix()));
    } catch (SocketException _) {
      return false;
    }
  }

  private void report(Request request) {
    if (reported.size() < MAX_REPORTED && reported.add(request)) {
      onRequest.accept(request);
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
        closeQuietly(remote);
      }
    }
    throw new ConnectFailed();
  }

  private static void copyToClient(Socket remote, OutputStream out) {
    try (out) {
      remote.getInputStream().transferTo(out);
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
  /// @return empty if the client closes before, or was told that the request is malformed
  private static Optional<RequestHead> readHead(InputStream in, OutputStream out)
      throws IOException {
    var lines = readLines(in);
    var head = RequestHead.parse(lines);
    if (head.isEmpty() && !lines.isEmpty()) {
      respond(out, "400 Bad Request", "This proxy supports HTTP/1.1 only.");
    }
    return head;
  }

  /// The lines before the first blank one; empty if the client closes before.
  private static List<String> readLines(InputStream in) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var newlines = 0;
    while (newlines < 2) {
      var next = in.read();
      if (next < 0 || bytes.size() >= MAX_HEAD) {
        return List.of();
      }
      bytes.write(next);
      newlines = next == '\n' ? newlines + 1 : next == '\r' ? newlines : 0;
    }
    return bytes.toString(StandardCharsets.ISO_8859_1).strip().lines().toList();
  }

  private static void respond(OutputStream out, String status, String text) throws IOException {
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

  private static void closeQuietly(AutoCloseable each) {
    try {
      each.close();
    } catch (Exception e) {
      log.debug("cannot close a connection", e);
    }
  }
}
