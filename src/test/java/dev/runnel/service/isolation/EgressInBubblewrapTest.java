package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.runnel.service.egress.EgressProxy;
import dev.runnel.service.egress.EgressRules;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.testkit.Bubblewrapped;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a command in a bubblewrap reaches when a proxy is its only way to the network. The only
/// server is on loopback, which the list of permitted hosts has to name as internal.
@Tag("slow")
class EgressInBubblewrapTest {
  private static final String DIRECTLY =
      "timeout 5 bash -c 'exec 3<>/dev/tcp/%s/%d' 2>/dev/null && echo reached; ";

  @TempDir Path folder;
  private final Queue<EgressProxy.Request> asked = new ConcurrentLinkedQueue<>();
  private HttpServer server;
  private int port;

  @BeforeEach
  void serve() throws IOException {
    Bubblewrapped.require();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 6);
          exchange.getResponseBody().write("served".getBytes(StandardCharsets.US_ASCII));
          exchange.close();
        });
    server.start();
    port = server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.stop(0);
    }
  }

  @Test
  void aPermittedHostIsReachedThroughTheProxyAlone() throws Exception {
    var said =
        run(
            "internal:localhost:" + port,
            DIRECTLY.formatted("127.0.0.1", port) + through("localhost:" + port) + "cat");

    assertThat(said).startsWith("HTTP/1.1 200").endsWith("servedstdin").doesNotContain("reached");
  }

  @Test
  void anythingElseIsRefused() throws Exception {
    var said =
        run(
            "*",
            DIRECTLY.formatted("127.0.0.1", port)
                + DIRECTLY.formatted("169.254.169.254", 80)
                + through("localhost:" + port)
                + through("169.254.169.254"));

    assertThat(said)
        .contains("Runnel does not permit connections to localhost:" + port)
        .contains("Runnel does not permit connections to 169.254.169.254:80")
        .doesNotContain("reached", "served");
    assertThat(asked).hasSize(2).noneMatch(EgressProxy.Request::permitted);
  }

  @Test
  void theStatusOfTheCommandIsKept() throws Exception {
    assertThat(run("*", "exit 7")).isEqualTo("7");
  }

  /// A shell command that asks for a page through the proxy.
  private static String through(String host) {
    return """
    bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128
    printf "GET http://%s/ HTTP/1.1\\r\\n\\r\\n" >&3; cat <&3'
    """
        .formatted(host);
  }

  /// @return the output, or the status if there is none
  private String run(String pattern, String script) throws Exception {
    var workspaces = new Workspaces(folder.resolve("workspaces"), Environments.NONE);
    var root = Files.createDirectories(workspaces.root("run"));
    var socket = folder.resolve("proxy");
    var place =
        new Isolation.Place(
            ExecutionRequest.internal("run"),
            root,
            root,
            Optional.empty(),
            Set.of(),
            List.of(),
            workspaces.home("run", Environment.NONE),
            Optional.of(socket));
    var machine = new Machine(Map.of("PATH", System.getenv("PATH")), List.of(folder));
    var isolation = Isolations.choose("bubblewrap", machine);
    try (var _ =
        EgressProxy.listen(
            socket, new EgressRules(List.of(pattern)), EgressProxy.Resolver.system(), asked::add)) {
      var process =
          new ProcessBuilder(isolation.wrap(List.of("/bin/sh", "-c", script), place))
              .redirectErrorStream(true)
              .start();
      try (var stdin = process.getOutputStream()) {
        stdin.write("stdin".getBytes(StandardCharsets.US_ASCII));
      }
      var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      var status = process.waitFor();
      return said.isEmpty() ? Integer.toString(status) : said;
    }
  }
}
