package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Repository;
import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.ContainerRuntime;
import dev.runnel.testkit.GitServer;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent pushes with a token that it does not have. It is a shell that reads its commands from
/// the prompt.
@Tag("slow")
class GitLoginTest {
  private static final String TOKEN = "s3cret-token-of-the-shop";

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

    @Test
    void anAgentFetchesAndPushesWithoutTheToken(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        var said =
            stage.obey(
                """
                git fetch --quiet && echo fetched
                git -c user.name=x -c user.email=x@x.test commit --quiet --allow-empty -m "By the agent"
                git push --quiet origin HEAD:refs/heads/agent 2>&1 && echo pushed
                """);

        assertThat(said).contains("fetched\npushed\n");
        assertThat(stage.shop().git("log", "-1", "--format=%s", "agent"))
            .isEqualTo("By the agent\n");
      }
    }

    @Test
    void withoutPushItHasNoLogin(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this, false)) {
        assertThat(stage.obey("GIT_TERMINAL_PROMPT=0 git fetch --quiet 2>&1 || echo refused"))
            .contains("could not read Username")
            .contains("refused\n");
      }
    }

    @Test
    void theTokenIsNowhereInIt(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        var said =
            stage.obey(
                """
                git fetch --quiet
                printf 'protocol=http\\nhost=%s\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill 2>&1
                env; git config --list; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'
                s3=s3cret; grep -rs "$s3-token" "$HOME" /tmp . && echo found it; echo done
                """
                    .formatted(stage.server().authority()));

        // The transcript would show it as redacted.
        assertThat(said).doesNotContain("(redacted)", TOKEN, "found it").contains("done\n");
      }
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
    String GET =
        """
        get() { bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128
          printf "GET http://git.runnel/$0 HTTP/1.1\\r\\n\\r\\n" >&3; head -1 <&3' "$1"; }
        """;

    Isolation isolation(Machine machine, Path bin) throws IOException;

    @Test
    default void onlyRequestsOfGitToTheRepositoryGetTheLogin(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        var said =
            stage.obey(
                GET
                    + """
                    get %1$s/acme/shop.git/info/refs?service=git-receive-pack
                    get %1$s/acme/other.git/info/refs?service=git-receive-pack
                    get %1$s/acme/shop.git/HEAD
                    """
                        .formatted(stage.server().authority()));

        assertThat(said.lines().map(String::strip).toList())
            .containsSequence(
                "HTTP/1.1 200 OK", "HTTP/1.1 403 Forbidden", "HTTP/1.1 403 Forbidden");
      }
    }
  }

  record Stage(GitServer server, LocalRepository shop, RunningService service)
      implements AutoCloseable {
    static Stage open(Path folder, Contract contract, boolean push) throws IOException {
      var source = LocalRepository.make(folder.resolve("source"));
      source.commit("README.md", "The shop\n");
      for (var name : List.of("shop", "other")) {
        var bare = folder.resolve("server/acme/" + name + ".git");
        source.git("clone", "--quiet", "--bare", ".", bare.toString());
      }
      var server = GitServer.start(folder.resolve("server"), TOKEN);
      var bin = Files.createDirectories(folder.resolve("bin"));
      var variables = new HashMap<String, String>();
      variables.put("PATH", bin + ":" + System.getenv("PATH"));
      variables.put("HOME", Files.createDirectories(folder.resolve("operator")).toString());
      var data = Files.createDirectories(folder.resolve("data"));
      var machine = new Machine(variables, List.of(data), List.of(), List.of(), Quotas.USUAL);
      var environment =
          new Environment(
              "web",
              "web",
              Optional.empty(),
              List.of(
                  Repository.of(
                      server.url("acme/shop.git"),
                      Optional.empty(),
                      Optional.empty(),
                      Optional.of("GIT_TOKEN"),
                      push)),
              List.of(),
              Optional.of(ContainerRuntime.IMAGE),
              List.of());
      var setup =
          Setup.USUAL
              .with(contract.isolation(machine, bin))
              .with(
                  new Environments(
                      List.of(environment), Optional.of(environment), Map.of("GIT_TOKEN", TOKEN)));
      return new Stage(
          server,
          new LocalRepository(folder.resolve("server/acme/shop.git")),
          RunningService.inOnlyThisEnvironment(data, Optional.of("sh"), variables, setup));
    }

    String obey(String commands) {
      var id = service.create(commands);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> List.of("SUCCEEDED", "FAILED").contains(service.state(id)));
      return service.transcript(id);
    }

    @Override
    public void close() {
      service.close();
      server.close();
    }
  }
}
