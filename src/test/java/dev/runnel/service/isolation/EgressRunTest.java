package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.ContainerRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The network of whole runs: which hosts their settings permit, and what is said about them. The
/// agent is a shell that reads its commands from the prompt.
@Tag("slow")
class EgressRunTest {
  @Nested
  class InABubblewrap implements Contract {
    @BeforeEach
    void works() {
      Bubblewrapped.require();
    }

    @Override
    public Isolation isolation(Machine machine, Path bin) {
      return Isolations.choose("bubblewrap", machine, true);
    }
  }

  @Nested
  class InAContainer implements Contract {
    @Override
    public Isolation isolation(Machine machine, Path bin) throws IOException {
      return new Container(ContainerRuntime.install(bin), machine);
    }
  }

  interface Contract {
    /// Asks for a page of the server through the proxy, with any name of a host.
    String GET =
        """
        get() { bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128
          printf "GET http://$0/ HTTP/1.1\\r\\n\\r\\n" >&3; head -1 <&3' $1; }
        """;

    Isolation isolation(Machine machine, Path bin) throws IOException;

    @Test
    default void anAgentReachesWhatItsEnvironmentPermits(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this)) {
        var here = "localhost:" + stage.port();
        stage.start(List.of("npm"), Optional.of(List.of("inherit", "internal:" + here)));

        assertThat(stage.obey(GET + "get " + here)).startsWith("HTTP/1.1 200 OK");
      }
    }

    @Test
    default void aListOfTheEnvironmentReplacesThatOfAll(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this)) {
        var here = "localhost:" + stage.port();
        stage.start(List.of("internal:" + here), Optional.of(List.of("npm")));

        assertThat(stage.obey(GET + "get " + here)).startsWith("HTTP/1.1 403 ");
      }
    }

    @Test
    default void setupCommandsHaveTheSameNetworkAsTheAgent(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this)) {
        var here = "localhost:" + stage.port();
        var setup = GET + "get %s > got; get 127.0.0.1:%d >> got".formatted(here, stage.port());
        stage.start(List.of("internal:" + here), Optional.empty(), setup);

        assertThat(stage.obey("cat got"))
            .startsWith("HTTP/1.1 200 OK")
            .contains("HTTP/1.1 403 Runnel does not permit 127.0.0.1:" + stage.port());
      }
    }

    @Test
    default void requestedAndRefusedHostsAreListedOnceAtTheEnd(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this)) {
        var here = "localhost:" + stage.port();
        stage.start(List.of("internal:" + here), Optional.empty());
        var said =
            stage.obey(
                GET + "get %1$s; get %1$s; get evil.test; get evil.test:443".formatted(here));

        assertThat(said)
            .endsWith(
                """
                Network: asked for %s.
                Network: refused evil.test:443, evil.test:80. An operator can permit hosts with agents.egress in runnel.yaml, or with egress of the environment.
                """
                    .formatted(here))
            .containsOnlyOnce("Network: asked for");
        assertThat(stage.obey("echo nothing")).isEqualTo("nothing\n");
      }
    }

    @Test
    default void programsFindTheProxyInTheirVariables(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this)) {
        stage.start(List.of("none"), Optional.empty());

        assertThat(stage.obey("env"))
            .contains(
                "HTTP_PROXY=http://127.0.0.1:3128\n",
                "https_proxy=http://127.0.0.1:3128\n",
                "NO_PROXY=localhost,127.0.0.1,::1\n",
                "MAVEN_OPTS=-Dhttp.proxyHost=127.0.0.1 ");
      }
    }

    @Test
    default void runServiceIsReachableOnlyForRunsWithAKey(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this)) {
        stage.start(List.of("npm"), Optional.empty());
        var ask =
            "a=%s; bash -c 'exec 3<>/dev/tcp/127.0.0.1/'${a##*:} 2>/dev/null && echo reached it; echo done"
                .formatted(stage.service().uri(""));

        assertThat(stage.obey(ask)).isEqualTo("done\n");
        assertThat(stage.obey(ask, "orchestrate")).startsWith("reached it\ndone\n");
        assertThat(stage.obey(GET + "get ${RUNNEL_AGENT_API_URL#http://}", "orchestrate"))
            .startsWith("HTTP/1.1 401");
        assertThat(
                stage.obey(
                    GET + "a=${RUNNEL_AGENT_API_URL#http://}; get ${a%/api/v1}", "orchestrate"))
            .startsWith("HTTP/1.1 403");
      }
    }

    @Test
    default void noSocketIsLeftAfterARunOrAKilledService(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this)) {
        var sockets = Files.createDirectories(stage.data().resolve("egress"));
        Files.setPosixFilePermissions(sockets, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(sockets.resolve("left-1"), "");
        stage.start(List.of("public"), Optional.empty());

        assertThat(sockets).isEmptyDirectory();
        stage.obey("echo done");
        await().untilAsserted(() -> assertThat(sockets).isEmptyDirectory());
      }
    }
  }

  private static final class Stage implements AutoCloseable {
    private static final Set<TranscriptLine.Kind> SHOWN =
        Set.of(TranscriptLine.Kind.SAID, TranscriptLine.Kind.NOTE);

    private final Path folder;
    private final HttpServer server;
    private final Isolation isolation;
    private final Map<String, String> variables;
    private @Nullable RunningService service;

    private Stage(
        Path folder, HttpServer server, Isolation isolation, Map<String, String> variables) {
      this.folder = folder;
      this.server = server;
      this.isolation = isolation;
      this.variables = variables;
    }

    static Stage open(Path folder, Contract contract) throws IOException {
      var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            exchange.sendResponseHeaders(200, 6);
            exchange.getResponseBody().write("served".getBytes(StandardCharsets.US_ASCII));
            exchange.close();
          });
      server.start();
      var bin = Files.createDirectories(folder.resolve("bin"));
      var variables = new HashMap<String, String>();
      variables.put("PATH", bin + ":" + System.getenv("PATH"));
      variables.put("HOME", Files.createDirectories(folder.resolve("operator")).toString());
      var machine =
          new Machine(
              variables,
              List.of(folder.resolve("data")),
              List.of(),
              List.of(),
              Quotas.DEFAULT,
              AgentUsers.any());
      return new Stage(folder, server, contract.isolation(machine, bin), variables);
    }

    /// @param all the hosts of all environments
    /// @param own those of the environment
    void start(List<String> all, Optional<List<String>> own, String... setupCommands)
        throws IOException {
      var environment =
          Environment.named("web")
              .withSetupCommands(List.of(setupCommands))
              .withImage(Optional.of(ContainerRuntime.IMAGE))
              .withEgress(own.map(EgressSetting::new));
      service =
          RunningService.inOnlyThisEnvironment(
              Files.createDirectories(data()),
              Optional.of("sh"),
              variables,
              Setup.USUAL
                  .with(isolation)
                  .with(new EgressSetting(all))
                  .with(
                      new Environments(List.of(environment), Optional.of(environment), Map.of())));
    }

    Path data() {
      return folder.resolve("data");
    }

    int port() {
      return server.getAddress().getPort();
    }

    RunningService service() {
      return Objects.requireNonNull(service);
    }

    String obey(String commands) {
      return obey(commands, "normal");
    }

    /// What the agent prints that runs the commands, with the notes about it.
    String obey(String commands, String mode) {
      var body = RunningService.JSON.createObjectNode().put("prompt", commands).put("mode", mode);
      body.putObject("config").put("environment_id", "web");
      var id = service().create(body);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> List.of("SUCCEEDED", "FAILED").contains(service().state(id)));
      return service().service.transcript(id, 0).orElseThrow().lines().stream()
          .filter(line -> SHOWN.contains(line.kind()))
          .map(line -> line.text() + "\n")
          .filter(line -> !line.startsWith("Setting up"))
          .collect(Collectors.joining());
    }

    @Override
    public void close() {
      if (service != null) {
        service.close();
      }
      server.stop(0);
    }
  }
}
