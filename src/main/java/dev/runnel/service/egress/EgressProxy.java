package dev.runnel.service.egress;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.Price;
import dev.runnel.memory.Share;
import dev.runnel.threads.SupervisedThread;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.Stream;
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
  /// @param memory from which each connection takes [#CONNECTION_BYTES]
  public record Extras(
      List<GitGateway> repositories,
      List<ModelGateway> models,
      List<URI> pathPrefixes,
      PushWitness witness,
      Share memory) {
    /// With the memory of a process that has no other runs.
    static Extras none() {
      return new Extras(List.of(), List.of(), List.of());
    }

    /// Without inspection of pushes.
    Extras(List<GitGateway> repositories, List<ModelGateway> models, List<URI> pathPrefixes) {
      this(repositories, models, pathPrefixes, new PushWitness(_ -> {}));
    }

    /// With the memory of a process that has no other runs.
    Extras(
        List<GitGateway> repositories,
        List<ModelGateway> models,
        List<URI> pathPrefixes,
        PushWitness witness) {
      this(
          repositories,
          models,
          pathPrefixes,
          witness,
          MemoryBudget.ofThisProcess().share(MemoryBudget.Kind.RUNS));
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
  static final int MAX_CONNECTIONS = 128;

  /// The buffers of a connection, and what is made of the head of its request.
  static final long CONNECTION_BYTES =
      ProxyConnection.BUFFERS + Price.parsed(RequestHead.MAX_BYTES);

  private static final Duration MEMORY_TIMEOUT = Duration.ofSeconds(10);

  private static final Duration ACCEPT_RETRY_DELAY = Duration.ofMillis(100);

  /// How many different hosts are reported at most; an agent could request any number.
  public static final int MAX_REPORTED = 200;

  private final ServerSocketChannel server;
  private final Path socket;
  private final EgressRules rules;
  private final Extras extras;
  private final SSLSocketFactory tls;
  private final AddressCheck addresses;
  private final Consumer<Request> onRequest;
  private final Semaphore connections = new Semaphore(MAX_CONNECTIONS);
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
    this.addresses = new AddressCheck(resolver);
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
    return listen(socket, rules, Extras.none(), resolver, onRequest);
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
    SupervisedThread.virtual(
        "egress-proxy",
        SupervisedThread.repeating(
                "egress-proxy", proxy::acceptNext, ACCEPT_RETRY_DELAY, server::isOpen)
            ::run,
        _ -> {});
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

  private void acceptNext() throws InterruptedException {
    connections.acquire();
    var isServed = false;
    try {
      var client = server.accept();
      open.add(client);
      if (!server.isOpen()) {
        // Perhaps close() did not see it.
        closeQuietly(client);
      }
      SupervisedThread.virtual("egress", () -> serve(client), _ -> ended(client));
      isServed = true;
    } catch (IOException _) {
      // Closed, or out of file descriptors for a while.
      Thread.sleep(ACCEPT_RETRY_DELAY);
    } finally {
      if (!isServed) {
        connections.release();
      }
    }
  }

  private void serve(SocketChannel client) throws InterruptedException {
    var connection =
        new ProxyConnection(
            this,
            new BufferedInputStream(Channels.newInputStream(client)),
            Channels.newOutputStream(client));
    try (var _ = extras.memory().await(CONNECTION_BYTES, MEMORY_TIMEOUT)) {
      connection.serve();
    } catch (MemorySpentException _) {
      refuse(connection);
    } catch (IOException | RuntimeException e) {
      log.debug("connection of an agent ended", e);
    }
  }

  private static void refuse(ProxyConnection connection) {
    try {
      connection.respond(
          "503 Service Unavailable",
          "Runnel has no memory for this connection now, because of the output of runs.");
    } catch (IOException _) {
      // The agent has closed it.
    }
  }

  private void ended(SocketChannel client) {
    open.remove(client);
    connections.release();
    closeQuietly(client);
  }

  EgressRules rules() {
    return rules;
  }

  Extras extras() {
    return extras;
  }

  SSLSocketFactory tls() {
    return tls;
  }

  AddressCheck addresses() {
    return addresses;
  }

  boolean isOpen() {
    return server.isOpen();
  }

  /// [#close] also closes this, unless it has ended already.
  void opened(AutoCloseable connection) {
    open.add(connection);
  }

  void closed(AutoCloseable connection) {
    open.remove(connection);
  }

  void report(Request request) {
    if (reported.size() < MAX_REPORTED && reported.add(request)) {
      onRequest.accept(request);
    }
  }

  static void closeQuietly(AutoCloseable each) {
    try {
      each.close();
    } catch (Exception e) {
      log.debug("cannot close a connection", e);
    }
  }
}
