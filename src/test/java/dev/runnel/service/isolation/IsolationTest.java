package dev.runnel.service.isolation;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Repository;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.ContainerRuntime;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class IsolationTest {
  @TempDir Path folder;

  @Nested
  class TheChoice {
    @Test
    void autoWithoutBubblewrapReportsNoIsolation() {
      var isolation = Isolations.choose("auto", new Machine(path(folder), List.of(folder)));

      assertThat(isolation).isEqualTo(new Isolation.None());
      assertThat(isolation.line())
          .startsWith("none: agents can read and change all that Runnel's user can.");
    }

    @Test
    void missingIsolationProgramStopsTheStart() {
      assertThatThrownBy(
              () -> Isolations.choose("bubblewrap", new Machine(path(folder), List.of(folder))))
          .hasMessageStartingWith("is bubblewrap, and there is no bwrap on the PATH.");
      assertThatThrownBy(
              () -> Isolations.choose("container", new Machine(path(folder), List.of(folder))))
          .hasMessageStartingWith("is container, and there is no docker or podman on the PATH.");
      assertThatThrownBy(
              () -> Isolations.choose("jail", new Machine(path(folder), List.of(folder))))
          .hasMessage("is jail, and must be one of auto, none, bubblewrap, container, kubernetes.");
    }

    @Test
    void aBubblewrapThatMayNotMakeNamespacesIsNotUsed() throws IOException {
      program("bwrap", "exit 1");

      assertThat(
              Isolations.choose("auto", new Machine(path(folder.resolve("bin")), List.of(folder))))
          .isEqualTo(new Isolation.None());
      assertThatThrownBy(
              () ->
                  Isolations.choose(
                      "bubblewrap", new Machine(path(folder.resolve("bin")), List.of(folder))))
          .hasMessageContaining("bwrap does not work here");
    }
  }

  /// Runs where bubblewrap works; `RUNNEL_TESTS_NEED_BUBBLEWRAP=true` makes its absence a failure.
  @Nested
  class Bubblewrapped implements ExecutorContract {
    private Setup setup;

    @BeforeEach
    void works() {
      var chosen = Isolations.choose("auto", machine(System.getenv()));
      if (!"true".equals(System.getenv("RUNNEL_TESTS_NEED_BUBBLEWRAP"))) {
        assumeThat(chosen).isInstanceOf(Bubblewrap.class);
      }
      assertThat(chosen).isInstanceOf(Bubblewrap.class);
      setup = Setup.USUAL.with(chosen);
    }

    @Override
    public Path folder() {
      return folder;
    }

    @Override
    public Isolation isolation() {
      return setup.isolation();
    }

    @Test
    void anAgentWritesToItsWorkspaceAndNowhereElse() throws IOException {
      var outside = Files.createDirectories(folder.resolve("outside"));
      var home = Path.of(System.getProperty("user.home"));
      var command =
          "echo mine > file && cat file; touch %s/x /usr/runnel-x %s/runnel-x 2>/dev/null; ls %s"
              .formatted(outside, home, folder.resolve("agent-runs.db"));
      try (var service = RunningService.with(folder, command + "; echo over", 1, setup)) {
        var id = service.create("x");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.transcript(id)).contains("mine\nover\n");
        assertThat(folder.resolve("workspaces/" + id + "/file")).hasContent("mine");
        assertThat(outside).isEmptyDirectory();
        assertThat(home.resolve("runnel-x")).doesNotExist();
        assertThat(service.service.transcript(id, 0).orElseThrow().lines())
            .anySatisfy(line -> assertThat(line.text()).contains("agent-runs.db': No such file"));
      }
    }

    @Test
    void knownAgentHasARunHomeWithItsLoginAndKeepsItsSessions(@TempDir Path outside)
        throws IOException {
      var login = Files.createDirectories(outside.resolve("login"));
      Files.writeString(login.resolve(".credentials.json"), "its login");
      Files.writeString(login.resolve("history.jsonl"), "prompts of others");
      var program = Files.createDirectories(outside.resolve("bin")).resolve("claude");
      Files.writeString(
          program,
          """
          #!/bin/sh
          for each; do
            case $each in
              --append-system-prompt-file=*) cp "${each#*=}" "$HOME/.claude/told" ;;
            esac
          done
          head -n 1 | sed 's/.*"text":"\\([^"]*\\)".*/\\1/' | tr -d '\\n' >> "$HOME/.claude/asked"
          ls -A "$HOME/.claude" > files
          cat "$HOME/.claude/.credentials.json" > login
          echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
          """);
      assertThat(program.toFile().setExecutable(true, false)).isTrue();
      var variables =
          Map.of(
              "PATH",
              program.getParent() + ":" + System.getenv("PATH"),
              "CLAUDE_CONFIG_DIR",
              login.toString());
      var isolation = Isolations.choose("bubblewrap", machine(variables));
      try (var service =
          RunningService.inEnvironment(
              folder, Optional.empty(), variables, setup.with(isolation))) {
        var body = RunningService.JSON.createObjectNode().put("prompt", "Go on");
        body.putObject("config").put("base_prompt", "Be kind");
        var id = service.create(body);
        service.awaitState(id, "SUCCEEDED");
        service.followUp(id, "Further");
        service.awaitState(id, "SUCCEEDED");

        var home = folder.resolve("homes/" + id + "/home/.claude");
        assertThat(home.resolve("told")).hasContent("Be kind");
        assertThat(home.resolve("asked")).hasContent("Go onFurther");
        var workspace = folder.resolve("workspaces/" + id);
        assertThat(workspace.resolve("login")).hasContent("its login");
        assertThat(workspace.resolve("files")).content().doesNotContain("history");
        assertThat(login).isDirectoryNotContaining("glob:**asked");
      }
    }

    @Test
    void agentWithoutItsSessionStartsANewOneWithTheConversation(@TempDir Path outside)
        throws IOException {
      var program = Files.createDirectories(outside.resolve("bin")).resolve("claude");
      Files.writeString(
          program,
          """
          #!/bin/sh
          echo "$@" > arguments
          prompt=$(head -n 1 | sed 's/.*"text":"\\([^"]*\\)".*/\\1/')
          printf "$prompt" > asked
          echo '{"type":"system","subtype":"init","session_id":"its-own"}'
          echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
          """);
      assertThat(program.toFile().setExecutable(true, false)).isTrue();
      var variables =
          Map.of(
              "PATH",
              program.getParent() + ":" + System.getenv("PATH"),
              "HOME",
              outside.toString());
      var isolation = Isolations.choose("bubblewrap", machine(variables));
      String id;
      try (var service =
          RunningService.inEnvironment(folder, Optional.empty(), variables, Setup.USUAL)) {
        id = service.create("Fix the test");
        service.awaitState(id, "SUCCEEDED");
      }
      try (var service =
          RunningService.inEnvironment(
              folder, Optional.empty(), variables, setup.with(isolation))) {
        service.followUp(id, "Now the docs");
        service.awaitState(id, "SUCCEEDED");

        var workspace = folder.resolve("workspaces/" + id);
        assertThat(workspace.resolve("arguments")).content().doesNotContain("--resume");
        assertThat(workspace.resolve("asked"))
            .content()
            .contains("Asked:\nFix the test")
            .endsWith("Now the docs");
        service.followUp(id, "And more");
        service.awaitState(id, "SUCCEEDED");
        assertThat(workspace.resolve("arguments")).content().contains("--resume");
      }
    }

    @Test
    void agentEndsWithTheProcessThatStartedIt() throws Exception {
      var mark = ExecutorContract.mark();
      var workspaces =
          new Workspaces(folder.resolve("workspaces"), Environments.NONE, AgentUsers.any());
      var root = Files.createDirectories(workspaces.root("run"));
      AgentUsers.any().own(root);
      var place =
          new Isolation.Place(
              ExecutionRequest.internal("run"),
              root,
              root,
              Environment.NONE,
              Set.of(),
              List.of(),
              workspaces.home("run", Environment.NONE));
      var command = new ArrayList<>(List.of("/bin/sh", "-c", "\"$@\" & wait", "sh"));
      command.addAll(
          ((Isolation.Local) isolation())
              .wrap(List.of("/bin/sh", "-c", "touch ready; sleep " + mark + "; :"), place));
      var starter = new ProcessBuilder(command).start();
      awaitFile(root.resolve("ready"));

      starter.destroyForcibly();

      await().until(() -> ExecutorContract.running(mark).isEmpty());
    }

    @Test
    void ownCommandOpensItsInputAndOutputByPath() {
      var command =
          "cat /dev/stdin; echo; echo out > /dev/stdout; echo err > /dev/stderr; echo end";
      try (var service = RunningService.with(folder, command, 1, setup)) {
        var id = service.create("asked");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.transcript(id)).isEqualTo("asked\nout\nend\n");
      }
    }

    @Test
    void anAgentSeesNoProcessButItsOwn() {
      var pid = ProcessHandle.current().pid();
      var command = "cat /proc/%d/environ; ls /proc | grep -c '^[0-9]'".formatted(pid);
      try (var service = RunningService.with(folder, command, 1, setup)) {
        var id = service.create("x");
        service.awaitState(id, "SUCCEEDED");

        assertThat(Integer.parseInt(service.message(id).strip())).isLessThan(8);
      }
    }

    @Test
    void namedHomeFilesAreVisibleToSetupCommandsAndTheAgent(@TempDir Path home) throws IOException {
      Files.writeString(home.resolve(".npmrc"), "registry=https://npm.corp/\n");
      var variables = new HashMap<>(System.getenv());
      variables.put("HOME", home.toString());
      var machine =
          new Machine(
              variables,
              List.of(folder),
              List.of(),
              List.of(".npmrc"),
              Quotas.DEFAULT,
              AgentUsers.any());
      var environment =
          environment(List.of(), List.of("cp \"$HOME/.npmrc\" seen"), Optional.empty());
      var withFile =
          setup
              .with(Isolations.choose("auto", machine))
              .with(new Environments(List.of(environment), Optional.of(environment), Map.of()));
      try (var service =
          RunningService.inEnvironment(
              folder,
              Optional.of("cat seen \"$HOME/.npmrc\""),
              Map.of("HOME", home.toString()),
              withFile)) {
        var id = service.create("x");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.message(id).strip().lines())
            .containsExactly("registry=https://npm.corp/", "registry=https://npm.corp/");
      }
    }

    @Test
    void setupCommandsAreIsolatedAndShareNoFileWithTheCloneCache() throws IOException {
      var shop = LocalRepository.make(folder.resolve("origin/acme/shop"));
      shop.commit("README.md", "The shop\n");
      var environment =
          environment(
              List.of(
                  Repository.of(shop.url(), Optional.empty(), Optional.empty(), Optional.empty())),
              List.of("touch " + folder.resolve("out") + " || true; echo set > up"),
              Optional.empty());
      var withShop =
          setup.with(new Environments(List.of(environment), Optional.of(environment), Map.of()));
      try (var service =
          RunningService.with(folder, "git log --oneline | wc -l; cat up", 1, withShop)) {
        var id = service.create("x");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.message(id).strip()).isEqualTo("1\nset");
        assertThat(folder.resolve("out")).doesNotExist();
        try (var objects = Files.walk(folder.resolve("workspaces/" + id + "/shop/.git/objects"))) {
          for (var object : objects.filter(Files::isRegularFile).toList()) {
            assertThat(Files.getAttribute(object, "unix:nlink")).as("%s", object).isEqualTo(1);
          }
        }
      }
    }
  }

  /// As root only, whose agents have another account.
  @Nested
  class WithoutIsolationAsAnotherAccount implements ExecutorContract {
    private Isolation.Local isolation;

    @BeforeEach
    void isRoot() throws IOException {
      assumeThat(AgentUsers.isRoot()).isTrue();
      AgentUsers.any().admit(folder);
      isolation = Isolations.choose("none", machine(System.getenv()));
    }

    @Override
    public Path folder() {
      return folder;
    }

    @Override
    public Isolation isolation() {
      return isolation;
    }

    @Test
    void ownCommandOpensItsInputAndOutputByPath() {
      var command =
          "cat /dev/stdin; echo; echo out > /dev/stdout; echo err > /dev/stderr; echo end";
      try (var service = RunningService.with(folder, command, 1, Setup.USUAL.with(isolation))) {
        var id = service.create("asked");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.transcript(id)).isEqualTo("asked\nout\nend\n");
      }
    }

    @Test
    void agentIsTheAccountAndOwnsItsFolders() throws IOException {
      var shop = LocalRepository.make(folder.resolve("origin/acme/shop"));
      shop.commit("README.md", "The shop\n");
      var environment =
          environment(
              List.of(
                  Repository.of(shop.url(), Optional.empty(), Optional.empty(), Optional.empty())),
              List.of("id -u > by; mkdir \"$HOME/made\""),
              Optional.empty());
      var setup =
          Setup.USUAL
              .with(isolation)
              .with(new Environments(List.of(environment), Optional.of(environment), Map.of()));
      var command =
          "id -u; cat by; git log --oneline | wc -l; echo x > $TMPDIR/x; echo x >"
              + " $RUNNEL_ARTIFACTS/x; echo x >> README.md; git -c user.name=a -c user.email=a@b"
              + " commit -qam more;"
              + " find . \"$HOME\" ! -uid $(id -u) | wc -l; ls %s; cat %s; :"
                  .formatted(folder.resolve("repositories"), folder.resolve("agent-runs.db"));
      try (var service = RunningService.with(folder, command, 1, setup)) {
        var id = service.create("x");
        service.awaitState(id, "SUCCEEDED");

        var user = AgentUsers.any().uid();
        assertThat(service.transcript(id)).endsWith("\"\n%1$d\n%1$d\n1\n0\n".formatted(user));
        // Hard links would let it write to the cache.
        try (var objects = Files.walk(folder.resolve("workspaces/" + id + "/shop/.git/objects"))) {
          for (var object : objects.filter(Files::isRegularFile).toList()) {
            assertThat(Files.getAttribute(object, "unix:nlink")).as("%s", object).isEqualTo(1);
          }
        }
        try (var cached = Files.walk(folder.resolve("repositories"))) {
          assertThat(cached)
              .isNotEmpty()
              .allSatisfy(each -> assertThat(Files.getAttribute(each, "unix:uid")).isEqualTo(0));
        }
      }
    }

    @Test
    void workspaceOfAnEarlierRunOfRootIsTakenOver() {
      String id;
      try (var service = RunningService.withCommand(folder, "umask 077; echo mine > file")) {
        id = service.create("x");
        service.awaitState(id, "SUCCEEDED");
      }
      var command = "echo more >> file; cat file; stat -c %u file";
      try (var service = RunningService.with(folder, command, 1, Setup.USUAL.with(isolation))) {
        service.followUp(id, "x");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.message(id)).isEqualTo("mine\nmore\n" + AgentUsers.any().uid());
      }
    }
  }

  @Nested
  class InAContainer implements ExecutorContract {
    private Isolation isolation;

    @BeforeEach
    void runtime() throws IOException {
      var bin = Files.createDirectories(folder.resolve("bin"));
      isolation = new Container(ContainerRuntime.install(bin), machine(System.getenv()));
    }

    @Override
    public Path folder() {
      return folder;
    }

    @Override
    public Isolation isolation() {
      return isolation;
    }
  }

  /// No container is started here: the runtime is a script that keeps its arguments and then runs
  /// the command on this machine.
  @Nested
  class InAContainerOfAFakeRuntime {
    private Setup setup;

    @BeforeEach
    void runtime() throws IOException {
      program(
          "docker",
          """
          echo "$@" >> %s
          case $1 in run) ;; *) exit 0 ;; esac
          while [ "$1" != node:22 ]; do shift; done
          shift
          exec "$@"
          """
              .formatted(folder.resolve("arguments")));
      setup =
          Setup.USUAL.with(Isolations.choose("container", machine(path(folder.resolve("bin")))));
    }

    @Test
    void commandsRunInTheEnvironmentsImageWithTheWorkspaceMounted() throws IOException {
      var environment =
          Environment.named("web")
              .withSetupCommands(List.of("echo set > up"))
              .withImage(Optional.of("node:22"))
              .withVariables(List.of("NPM_TOKEN"));
      var setting =
          setup.with(
              new Environments(
                  List.of(environment), Optional.of(environment), Map.of("NPM_TOKEN", "s3cret-x")));
      try (var service = RunningService.with(folder, "cat; cat up", 1, setting)) {
        var id = service.create("x");
        service.awaitState(id, "SUCCEEDED");
        var workspace = folder.resolve("workspaces/" + id).toString();
        var name = "runnel-" + id + "-1";

        assertThat(service.message(id)).isEqualTo("xset");
        var calls = Files.readString(folder.resolve("arguments"));
        assertThat(calls)
            .contains("run --rm --interactive --init --name " + name)
            .contains("--volume " + workspace + ":" + workspace)
            .contains("--workdir " + workspace)
            .contains("--env RUNNEL_RUN_ID --env")
            .contains("--env NPM_TOKEN ")
            .contains("--network none")
            .contains(" sh /bin/sh -c echo set > up\n")
            .contains(" sh /bin/sh -c cat; cat up\n")
            .doesNotContain("s3cret-x")
            .endsWith("rm --force " + name + "\n");
      }
    }

    @Test
    void containerHasLimitsNoCapabilitiesAndTheWorkspaceUser() throws IOException {
      var environment = environment(List.of(), List.of(), Optional.of("node:22"));
      var setting =
          setup.with(new Environments(List.of(environment), Optional.of(environment), Map.of()));
      try (var service = RunningService.with(folder, "cat", 1, setting)) {
        var id = service.create("x");
        service.awaitState(id, "SUCCEEDED");
        var workspace = folder.resolve("workspaces/" + id);

        assertThat(Files.readString(folder.resolve("arguments")))
            .contains(" --cap-drop ALL ")
            .contains(" --security-opt no-new-privileges ")
            .contains(" --memory 8589934592b --memory-swap 8589934592b --pids-limit 4096 ")
            .contains(
                " --user %s:%s "
                    .formatted(
                        Files.getAttribute(workspace, "unix:uid"),
                        Files.getAttribute(workspace, "unix:gid")));
      }
    }

    @Test
    void aRunIsNotCancelledBeforeItsContainerIsGone() throws IOException {
      program(
          "docker",
          """
          case $1 in
            run) while [ "$1" != node:22 ]; do shift; done; shift; exec "$@" ;;
            rm) [ -e %1$s ] ;;
            ps) echo 0123456789ab ;;
          esac
          """
              .formatted(folder.resolve("removable")));
      var environment = environment(List.of(), List.of(), Optional.of("node:22"));
      var setting =
          setup.with(new Environments(List.of(environment), Optional.of(environment), Map.of()));
      try (var service = RunningService.with(folder, "touch ready; sleep 300", 1, setting)) {
        var id = service.create("x");
        awaitFile(folder.resolve("workspaces/" + id + "/ready"));
        service.cancel(id);
        assertThat(service.state(id)).isEqualTo("INPROGRESS");

        Files.writeString(folder.resolve("removable"), "");
        service.awaitState(id, "CANCELLED");
      }
    }

    @Test
    void anEnvironmentWithoutAnImageFailsClearly() {
      try (var service = RunningService.with(folder, "echo never", 1, setup)) {
        var run = service.awaitState(service.create("x"), "FAILED");

        assertThat(run.at("/status_message/message").asText())
            .isEqualTo(
                "Agents work in containers here, and the environment none names no image. Set its"
                    + " docker_image.");
      }
    }
  }

  private static Environment environment(
      List<Repository> repositories, List<String> commands, Optional<String> image) {
    return Environment.named("web")
        .withRepositories(repositories)
        .withSetupCommands(commands)
        .withImage(image);
  }

  private void program(String name, String script) throws IOException {
    var file = Files.createDirectories(folder.resolve("bin")).resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + script);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private Machine machine(Map<String, String> environment) {
    return new Machine(environment, List.of(folder)).with(AgentUsers.any());
  }

  private static Map<String, String> path(Path only) {
    return Map.of("PATH", only.toString());
  }
}
