package dev.runnel.service.egress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.runnel.memory.MemoryBudget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The only servers are on loopback, which a pattern has to permit as internal.
@Timeout(30)
class EgressProxyTest {
  @TempDir Path folder;
  private final Queue<EgressProxy.Request> asked = new ConcurrentLinkedQueue<>();
  private final AtomicInteger served = new AtomicInteger();
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private HttpServer server;
  private int port;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          served.incrementAndGet();
          received.addAll(exchange.getRequestHeaders().keySet());
          var text =
              exchange.getRequestURI() + " of " + exchange.getRequestHeaders().getFirst("Host");
          var body = text.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    port = server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void aPermittedHostIsReachedByPlainHttpAndByATunnel() throws IOException {
    var rules = "internal:shop.test:" + port;

    assertThat(ask(rules, "GET http://shop.test:%d/a?b=c HTTP/1.1\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.1 200")
        .endsWith("/a?b=c of shop.test:" + port);
    assertThat(
            ask(
                rules,
                """
                CONNECT shop.test:%d HTTP/1.1\r
                \r
                GET /t HTTP/1.1\r
                Host: own\r
                Connection: close\r
                \r
                """))
        .startsWith("HTTP/1.1 200 Connection Established\r\n\r\nHTTP/1.1 200")
        .endsWith("/t of own");
    assertThat(asked).containsOnly(new EgressProxy.Request("shop.test", port, true));
  }

  /// A login for the proxy is for none of the servers behind it.
  @Test
  void proxyLoginIsNotForwardedToServers() throws IOException {
    ask(
        "internal:shop.test:" + port,
        """
        GET http://shop.test:%d/ HTTP/1.1\r
        Proxy-Authorization: Basic YW5uOnMzY3JldA==\r
        proxy-connection: keep-alive\r
        Accept: text/plain\r
        \r
        """);

    assertThat(received)
        .contains("Accept")
        .doesNotContain("Proxy-authorization", "Proxy-connection");
  }

  @Test
  void aHostThatIsNotOnTheListIsRefusedWithTheRemedyAndNoted() throws IOException {
    assertThat(ask("*.example.com", "CONNECT shop.test:%d HTTP/1.1\r\n\r\n"))
        .startsWith("HTTP/1.1 403")
        .endsWith(
            "Runnel does not permit connections to shop.test:%d. An operator can permit it with agents.egress in runnel.yaml, or with egress of the environment.\n"
                .formatted(port));
    assertThat(asked).containsExactly(new EgressProxy.Request("shop.test", port, false));
    assertThat(served).hasValue(0);
  }

  @Test
  void aHostIsReachedAtTheAddressThatWasChecked() throws IOException {
    var lookups = new AtomicInteger();

    assertThat(
            ask(
                "internal:shop.test:" + port,
                host -> {
                  if (lookups.getAndIncrement() > 0) {
                    throw new UnknownHostException(host);
                  }
                  return resolve(host);
                },
                "GET http://shop.test:%d/a HTTP/1.1\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.1 200");
    assertThat(lookups).hasValue(1);
  }

  @Test
  void aPublicNameThatLeadsToThisMachineIsRefused() throws IOException {
    assertThat(ask("*:" + port, "CONNECT shop.test:%d HTTP/1.1\r\n\r\n"))
        .startsWith("HTTP/1.1 403");
    assertThat(served).hasValue(0);
  }

  @Test
  void localAndMetadataAddressesAreRefusedDespiteAWildcard() throws IOException {
    for (var host :
        List.of(
            "127.0.0.1:443",
            "169.254.169.254:80",
            "[::1]:443",
            "[::ffff:127.0.0.1]:443",
            "[fd00:ec2::254]:80",
            "localhost:443",
            "0.0.0.0:80",
            "2130706433:80")) {
      assertThat(ask("*", "CONNECT " + host + " HTTP/1.1\r\n\r\n"))
          .as(host)
          .startsWith("HTTP/1.1 403");
    }
  }

  /// Nothing listens there; an address that is not refused is not reached.
  @Test
  void publicAddressesOfThisMachineAreRefused() throws IOException {
    var machine =
        new EgressProxy.Resolver() {
          @Override
          public List<InetAddress> resolve(String host) throws UnknownHostException {
            return EgressProxyTest.this.resolve(host);
          }

          @Override
          public List<EgressProxy.OwnAddress> ownAddresses() {
            return List.of(own("2001:db8:1::5", 64), own("2001:db8:2::5", 0));
          }
        };
    for (var host : List.of("[2001:db8:1::5]", "[2001:db8:1::6]", "[2001:db8:2::5]")) {
      assertThat(ask("*", machine, "CONNECT " + host + ":443 HTTP/1.1\r\n\r\n"))
          .as(host)
          .startsWith("HTTP/1.1 403");
    }
    assertThat(EgressProxy.Resolver.system().ownAddresses())
        .extracting(EgressProxy.OwnAddress::address)
        .contains(InetAddress.getLoopbackAddress());
  }

  private static EgressProxy.OwnAddress own(String address, int prefix) {
    return new EgressProxy.OwnAddress(InetAddress.ofLiteral(address), prefix);
  }

  @Test
  void rebindingHostNameIsConnectedToTheCheckedAddress() throws IOException {
    var answers = new AtomicInteger();
    EgressProxy.Resolver rebinding =
        _ ->
            List.of(
                InetAddress.getByName(answers.getAndIncrement() == 0 ? "192.0.2.1" : "127.0.0.1"));

    ask("*:" + port, rebinding, "GET http://127.0.0.1.nip.test:%d/ HTTP/1.1\r\n\r\n");

    assertThat(answers).hasValue(1);
    assertThat(served).hasValue(0);
  }

  @Test
  void anAgentThatAsksForManySlowNamesOccupiesFewThreadsOfTheMachine() throws Exception {
    var lookups = new AtomicInteger();
    var release = new CountDownLatch(1);
    EgressProxy.Resolver slow =
        host -> {
          lookups.incrementAndGet();
          try {
            release.await();
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
          throw new UnknownHostException(host);
        };
    var clients = new ArrayList<SocketChannel>();
    var socket = folder.resolve("proxy");
    try (var _ = EgressProxy.listen(socket, new EgressRules(List.of("*")), slow, asked::add)) {
      for (int i = 0; i < 60; i++) {
        var client = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        clients.add(client);
        Channels.newOutputStream(client)
            .write("CONNECT n%d.test:443 HTTP/1.1\r\n\r\n".formatted(i).getBytes(UTF_8));
      }
      await().until(() -> lookups.get() > 0);
      await().during(Duration.ofMillis(500)).until(() -> lookups.get() <= 8);

      release.countDown();
      await().until(() -> lookups.get() == 60);
    } finally {
      release.countDown();
      for (var each : clients) {
        each.close();
      }
    }
  }

  @Test
  void closingTheProxyEndsTheConnectionToAHangingServer() throws IOException {
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      var authority = "shop.test:" + silent.getLocalPort();
      var gateway = new GitGateway(URI.create("https://" + authority + "/shop.git"), "s3cret");
      var rules = new EgressRules(List.of("internal:" + authority));
      var socket = folder.resolve("proxy");
      var proxy =
          EgressProxy.listen(
              socket,
              rules,
              new EgressProxy.Extras(List.of(gateway), List.of(), List.of()),
              this::resolve,
              asked::add);
      client.connect(UnixDomainSocketAddress.of(socket));
      Channels.newOutputStream(client)
          .write(
              "GET %s/info/refs?service=git-upload-pack HTTP/1.1\r\n\r\n"
                  .formatted(gateway.address())
                  .getBytes(UTF_8));
      try (var accepted = silent.accept()) {
        assertThat(accepted.getInputStream().read()).isPositive();
        proxy.close();

        accepted.setSoTimeout(5_000);
        assertThat(accepted.getInputStream().readAllBytes()).isNotNull();
      }
    }
  }

  @Test
  void requestThatIsNotAProxyRequestIsRefused() throws IOException {
    for (var line :
        List.of(
            "GET / HTTP/1.1",
            "GET https://shop.test/ HTTP/1.1",
            "GET http://user@shop.test/ HTTP/1.1",
            "CONNECT shop.test HTTP/1.1",
            "CONNECT user@shop.test:443 HTTP/1.1",
            "GET file:///etc/passwd HTTP/1.1",
            "nonsense")) {
      assertThat(ask("*", line + "\r\n\r\n")).as(line).startsWith("HTTP/1.1 400");
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void secondRequestOnTheConnectionIsNotForwarded() throws IOException {
    try (var keepingAlive = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      var authority = "shop.test:" + keepingAlive.getLocalPort();
      var socket = folder.resolve("proxy");
      var rules = new EgressRules(List.of("internal:" + authority));
      try (var _ = EgressProxy.listen(socket, rules, this::resolve, asked::add)) {
        client.connect(UnixDomainSocketAddress.of(socket));
        Channels.newOutputStream(client)
            .write(
                """
                POST http://%1$s/a HTTP/1.1\r
                Content-Length: 2\r
                \r
                {}GET http://%1$s/b HTTP/1.1\r
                \r
                """
                    .formatted(authority)
                    .getBytes(StandardCharsets.US_ASCII));
        client.shutdownOutput();
        try (var accepted = keepingAlive.accept()) {
          assertThat(new String(accepted.getInputStream().readAllBytes(), UTF_8))
              .startsWith("POST /a HTTP/1.1\r\n")
              .endsWith("\r\n\r\n{}");
        }
      }
    }
  }

  @Test
  void requestWithTwoLengthsIsRefused() throws IOException {
    var request =
        """
        POST http://shop.test:%d/a HTTP/1.1\r
        Content-Length: 5\r
        Transfer-Encoding: chunked\r
        \r
        0\r
        \r
        """;

    assertThat(ask("internal:shop.test:" + port, request))
        .startsWith("HTTP/1.1 400")
        .endsWith("The request has both Content-Length and Transfer-Encoding.\n");
    assertThat(served).hasValue(0);
  }

  @Test
  void errorInOneConnectionClosesItAndLeavesTheProxyWorking() throws IOException {
    var socket = folder.resolve("proxy");
    EgressProxy.Resolver failing =
        host -> {
          if (host.equals("broken.test")) {
            throw new StackOverflowError();
          }
          return resolve(host);
        };
    var rules = new EgressRules(List.of("*", "internal:shop.test:" + port));
    try (var _ = EgressProxy.listen(socket, rules, failing, asked::add)) {
      for (int i = 0; i <= EgressProxy.MAX_CONNECTIONS; i++) {
        assertThat(askAt(socket, "CONNECT broken.test:443 HTTP/1.1\r\n\r\n")).isEmpty();
      }
      assertThat(askAt(socket, "GET http://shop.test:%d/ HTTP/1.1\r\n\r\n".formatted(port)))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void connectionsTakeMemoryAndGiveItBack() throws IOException {
    var socket = folder.resolve("proxy");
    var share = MemoryBudget.of(256 * 1024 * 1024).share(MemoryBudget.Kind.RUNS);
    try (var part = share.part("run", 0, EgressProxy.CONNECTION_BYTES);
        var _ =
            EgressProxy.listen(
                socket,
                new EgressRules(List.of("internal:shop.test:" + port)),
                new EgressProxy.Extras(
                    List.of(), List.of(), List.of(), new PushWitness(_ -> {}), part),
                this::resolve,
                asked::add);
        var idle = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      await().until(() -> part.taken() == EgressProxy.CONNECTION_BYTES);

      // It waits for the memory of the idle one.
      try (var next = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
        Channels.newOutputStream(next)
            .write("GET http://shop.test:%d/ HTTP/1.1\r\n\r\n".formatted(port).getBytes(UTF_8));
        idle.shutdownOutput();
        assertThat(new String(Channels.newInputStream(next).readAllBytes(), UTF_8))
            .startsWith("HTTP/1.1 200");
      }
      await().until(() -> part.taken() == 0);
    }
  }

  @Test
  void connectionIsRefusedWhenTheMemoryIsSpent() throws IOException {
    var socket = folder.resolve("proxy");
    var share = MemoryBudget.of(256 * 1024 * 1024).share(MemoryBudget.Kind.RUNS);
    try (var part = share.part("run", 0, EgressProxy.CONNECTION_BYTES - 1);
        var _ =
            EgressProxy.listen(
                socket,
                new EgressRules(List.of("*")),
                new EgressProxy.Extras(
                    List.of(), List.of(), List.of(), new PushWitness(_ -> {}), part),
                this::resolve,
                asked::add)) {
      assertThat(askAt(socket, ""))
          .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
          .endsWith(
              "Runnel has no memory for this connection now, because of the output of runs.\n");
    }
  }

  private static String askAt(Path socket, String request) throws IOException {
    try (var client = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      Channels.newOutputStream(client).write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(Channels.newInputStream(client).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/agent/runs, 200",
    "/api/v1, 200",
    "/, 403",
    "/enter, 403",
    "/api/v12, 403",
    "/api/v1/../../enter, 403",
    "/api/v1/%2e%2e/%2e%2e/enter, 403",
    "/api/v1//enter, 403",
    "//api/v1, 403"
  })
  void boundedServiceIsReachableOnlyBelowItsPath(String path, int status) throws IOException {
    var own = "GET %s HTTP/1.1\r\nHost: shop.test\r\n\r\n".formatted(path);

    assertThat(askBounded("CONNECT shop.test:%d HTTP/1.1\r\n\r\n".formatted(port) + own))
        .startsWith("HTTP/1.1 200 Connection Established\r\n\r\nHTTP/1.1 " + status);
    assertThat(askBounded("GET http://shop.test:%d%s HTTP/1.1\r\n\r\n".formatted(port, path)))
        .startsWith("HTTP/1.1 " + status);
  }

  private String askBounded(String request) throws IOException {
    var socket = folder.resolve("proxy");
    var bound = URI.create("http://shop.test:" + port + "/api/v1");
    var rules = new EgressRules(List.of("internal:shop.test:" + port));
    try (var _ =
            EgressProxy.listen(
                socket,
                rules,
                new EgressProxy.Extras(List.of(), List.of(), List.of(bound)),
                this::resolve,
                asked::add);
        var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(socket));
      Channels.newOutputStream(client).write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(Channels.newInputStream(client).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String ask(String pattern, String request) throws IOException {
    return ask(pattern, this::resolve, request);
  }

  /// @param request with `%d` for the port of the server
  private String ask(String pattern, EgressProxy.Resolver resolver, String request)
      throws IOException {
    var socket = folder.resolve("proxy");
    try (var _ =
            EgressProxy.listen(socket, new EgressRules(List.of(pattern)), resolver, asked::add);
        var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(socket));
      var out = Channels.newOutputStream(client);
      out.write(request.replace("%d", Integer.toString(port)).getBytes(StandardCharsets.US_ASCII));
      return new String(Channels.newInputStream(client).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private List<InetAddress> resolve(String host) throws UnknownHostException {
    var known = Map.of("shop.test", "127.0.0.1", "localhost", "127.0.0.1");
    return List.of(InetAddress.getByName(known.getOrDefault(host, host)));
  }
}
