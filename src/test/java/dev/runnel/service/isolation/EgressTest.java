package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.runnel.service.egress.EgressProxy;
import dev.runnel.service.egress.EgressRules;
import dev.runnel.service.run.Executables;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.ContainerRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a command reaches when a proxy is its only way to the network.
@Tag("slow")
class EgressTest {
  /// Programs elsewhere may need the home folder of whoever installed them.
  private static final String PROGRAMS = "/usr/bin:/bin:/usr/sbin:/sbin";

  @Nested
  class InABubblewrap implements Contract {
    @BeforeEach
    void works() {
      Bubblewrapped.require();
    }

    @Override
    public Isolation.Local isolation(Path folder) {
      return Isolations.choose("bubblewrap", machine(), true);
    }

    /// Each asks for something that the server does not have.
    @ParameterizedTest
    @ValueSource(
        strings = {
          "curl --silent http://shop.test:%1$d/",
          "git ls-remote http://shop.test:%1$d/x.git",
          "npm view x --registry http://shop.test:%1$d/ --fetch-retries 0",
          "python3 -m pip download x --no-input --retries 0 --trusted-host shop.test --index-url"
              + " http://shop.test:%1$d/simple",
          """
          cat > settings.xml <<END
          <settings><mirrors><mirror><id>x</id><mirrorOf>*</mirrorOf>
          <url>http://shop.test:%1$d/m</url><blocked>false</blocked></mirror></mirrors></settings>
          END
          mvn -B -s settings.xml -Dmaven.repo.local=m2 validate
          """
        })
    void programsUseTheProxy(String command, @TempDir Path folder) throws Exception {
      var program = command.strip().lines().toList().getLast().split(" ", 2)[0];
      assumeTrue(
          Executables.find(program, Map.of("PATH", PROGRAMS)).isPresent(),
          "Skipped: the system has no " + program);
      try (var stage = Stage.open(folder, isolation(folder))) {
        var pom =
            """
            cat > pom.xml <<END
            <project><modelVersion>4.0.0</modelVersion><parent><groupId>x</groupId>
            <artifactId>y</artifactId><version>1</version></parent><artifactId>z</artifactId></project>
            END
            """;
        var said =
            stage.run("internal:shop.test:" + stage.port(), pom + command.formatted(stage.port()));

        assertThat(stage.asked)
            .as(said)
            .contains(new EgressProxy.Request("shop.test", stage.port(), true));
      }
    }
  }

  @Nested
  class InAContainer implements Contract {
    @Override
    public Isolation.Local isolation(Path folder) throws IOException {
      return new Container(ContainerRuntime.install(folder), machine());
    }
  }

  private static Machine machine() {
    return new Machine(
        Map.of("PATH", System.getenv("PATH")),
        List.of(),
        List.of(),
        List.of(),
        Quotas.DEFAULT,
        AgentUsers.any());
  }

  interface Contract {
    String DIRECTLY = "timeout 5 bash -c 'exec 3<>/dev/tcp/%s/%d' 2>/dev/null && echo reached it; ";

    Isolation.Local isolation(Path folder) throws IOException;

    @Test
    default void aPermittedHostIsReachedThroughTheProxy(@TempDir Path folder) throws Exception {
      try (var stage = Stage.open(folder, isolation(folder))) {
        var host = "shop.test:" + stage.port();

        assertThat(stage.run("internal:" + host, through(host) + "cat"))
            .startsWith("HTTP/1.1 200")
            .endsWith("served stdin");
        assertThat(stage.asked)
            .containsExactly(new EgressProxy.Request("shop.test", stage.port(), true));
      }
    }

    @Test
    default void aPermittedServiceOfThisMachineAppearsAtItsOwnPort(@TempDir Path folder)
        throws Exception {
      try (var stage = Stage.open(folder, isolation(folder))) {
        var direct = DIRECTLY.formatted("127.0.0.1", stage.port());

        assertThat(stage.run("internal:127.0.0.1:" + stage.port(), direct + "echo done"))
            .isEqualTo("reached it\ndone\n");
        assertThat(stage.run("*", direct + "echo done")).isEqualTo("done\n");
      }
    }

    @Test
    default void hostsThatAreNotPermittedAreRefused(@TempDir Path folder) throws Exception {
      try (var stage = Stage.open(folder, isolation(folder))) {
        var said =
            stage.run(
                "*",
                DIRECTLY.formatted("127.0.0.1", stage.port())
                    + DIRECTLY.formatted("169.254.169.254", 80)
                    + DIRECTLY.formatted("1.1.1.1", 443)
                    + through("localhost:" + stage.port())
                    + through("169.254.169.254"));

        assertThat(said)
            .contains("Runnel does not permit connections to localhost:" + stage.port())
            .contains("with internal:169.254.169.254:80 in agents.egress")
            .doesNotContain("reached it", "served");
        assertThat(stage.asked).hasSize(2).noneMatch(EgressProxy.Request::permitted);
      }
    }

    @Test
    default void theStatusOfTheCommandIsKept(@TempDir Path folder) throws Exception {
      try (var stage = Stage.open(folder, isolation(folder))) {
        assertThat(stage.run("*", "exit 7")).isEqualTo("7");
      }
    }

    /// A shell command that asks for a page through the proxy.
    private static String through(String host) {
      return """
      bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128
      printf "GET http://%s/ HTTP/1.1\\r\\n\\r\\n" >&3; cat <&3'
      """
          .formatted(host);
    }
  }

  /// The only server is on loopback, where the name `shop.test` leads to.
  private record Stage(
      Path folder, Isolation.Local isolation, HttpServer server, Queue<EgressProxy.Request> asked)
      implements AutoCloseable {
    static Stage open(Path folder, Isolation.Local isolation) throws IOException {
      var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            exchange.sendResponseHeaders(200, 7);
            exchange.getResponseBody().write("served ".getBytes(StandardCharsets.US_ASCII));
            exchange.close();
          });
      server.start();
      return new Stage(folder, isolation, server, new ConcurrentLinkedQueue<>());
    }

    int port() {
      return server.getAddress().getPort();
    }

    /// @return the output, or the status if there is none
    String run(String pattern, String script) throws Exception {
      asked.clear();
      var user = AgentUsers.any();
      var workspaces = new Workspaces(folder.resolve("workspaces"), Environments.NONE, user);
      var root = Files.createDirectories(workspaces.root("run"));
      user.own(root);
      var socket = folder.resolve("proxy");
      var rules = new EgressRules(List.of(pattern));
      var network = new Isolation.Network(socket, rules.loopback());
      var variables = network.variables(Map.of());
      var request = ExecutionRequest.internal("run");
      var place =
          new Isolation.Place(
              request,
              root,
              root,
              Environment.named("web").withImage(Optional.of(ContainerRuntime.IMAGE)),
              variables.keySet(),
              List.of(),
              workspaces.home("run", Environment.NONE),
              Optional.of(network));
      var builder =
          new ProcessBuilder(isolation.wrap(List.of("/bin/sh", "-c", script), place))
              .redirectErrorStream(true);
      builder.environment().putAll(variables);
      builder.environment().put("PATH", PROGRAMS);
      try (var _ = EgressProxy.listen(socket, rules, Stage::resolve, asked::add)) {
        user.own(socket);
        var process = builder.start();
        try (var stdin = process.getOutputStream()) {
          stdin.write("stdin".getBytes(StandardCharsets.US_ASCII));
        }
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        var status = process.waitFor();
        return said.isEmpty() ? Integer.toString(status) : said;
      } finally {
        isolation.cleanUp(request, System.getenv());
      }
    }

    private static List<InetAddress> resolve(String host) throws UnknownHostException {
      return List.of(InetAddress.getByName(host.equals("shop.test") ? "127.0.0.1" : host));
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }
}
