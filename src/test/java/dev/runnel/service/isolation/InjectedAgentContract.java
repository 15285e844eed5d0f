package dev.runnel.service.isolation;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.ContainerRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an agent cannot do that does whatever its prompt says: a shell that reads its commands from
/// the prompt. Everything secret on the machine of the test contains `hidden-`.
public interface InjectedAgentContract {
  /// Prints what it finds of the machine's secrets, without containing the word itself.
  String SEARCH =
      """
      n=hidden
      grep -rs "$n-" / --exclude-dir=proc --exclude-dir=sys --exclude-dir=dev --exclude-dir=usr \
        --exclude-dir=opt | head -c 1000
      """;

  /// @param folder of all that the test has on this machine: `data` is the data folder, and `bin`,
  ///   which exists, is first on the `PATH`
  Isolation isolation(Machine machine, Path folder) throws IOException;

  // C3, C6: secrets in variables

  @Test
  default void agentCannotReadSecretsInAnyProcessEnvironment(@TempDir Path folder)
      throws IOException {
    // Runnel itself has its secrets in the environment of its process.
    var outside = new ProcessBuilder("sleep", "300");
    outside.environment().put("SLACK_BOT_TOKEN", "hidden-in-a-process");
    var process = outside.start();
    try (var stage = Stage.open(folder, this)) {
      var said = stage.obey("env; cat /proc/*/environ; echo done");

      assertThat(said).contains("RUNNEL_RUN_ID=").contains("done").doesNotContain("hidden-");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  default void agentSeesNoProcessesOfOthers(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var runnel = ProcessHandle.current().info().command().orElseThrow();
      var said = stage.obey("cat /proc/*/cmdline 2>&1; ls /proc | grep -c '^[0-9]*$'; echo x");

      assertThat(said).doesNotContain(runnel);
      assertThat(ProcessHandle.current().isAlive()).isTrue();
    }
  }

  // C4: the file system

  @Test
  default void agentFindsNoSettingsKeysOrOperatorHome(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      assertThat(Files.readString(folder.resolve("runnel.yaml"))).contains("hidden-");

      assertThat(stage.obey(SEARCH + "echo done")).isEqualTo("done\n");
      assertThat(stage.obey("ls -A " + stage.operator + " " + stage.data + " 2>&1; echo done"))
          .doesNotContain(".ssh", "agent-runs.db", "runnel.db", "homes\nlogs");
    }
  }

  @Test
  default void agentCannotUnmountOrRemountItsIsolation(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var said =
          stage.obey(
              // Guarded, so that a broken isolation fails the test instead of harming the machine.
              """
              [ "$(readlink /proc/self/ns/mnt)" != "@OUTER@" ] || exit 1
              try() { "$@" && echo did it; }
              try umount -l "$HOME"; try umount -l "$PWD"; try umount -l /proc
              try mount -o remount,rw,bind /usr; try mount -o remount,rw /; try mount -t proc proc /proc
              unshare -Urm sh -c 'umount -l /usr && echo did it; umount -l /tmp && echo did it
                mount -o remount,rw,bind /usr && echo did it; touch /usr/x'
              try umount -l /usr
              touch /usr/x /etc/x /x
              """
                      .replace("@OUTER@", namespace())
                  + SEARCH
                  + "echo done");

      assertThat(said).endsWith("done\n").doesNotContain("did it", "hidden-");
      // In a container it may write to the files of its image, which vanish with it.
      assertThat(Path.of("/usr/x")).doesNotExist();
      assertThat(Path.of("/etc/x")).doesNotExist();
    }
  }

  /// As root, an agent would need no right but its user id. Nothing is written.
  @Test
  default void agentCannotWriteSettingsOfTheKernel(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var said =
          stage.obey(
              """
              for each in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe \
                  /proc/sys/vm/drop_caches /proc/sysrq-trigger /proc/irq/default_smp_affinity; do
                (exec 3>> $each) 2>/dev/null && echo opened $each
              done; echo done
              """);

      assertThat(said).isEqualTo("done\n");
    }
  }

  @Test
  default void agentCannotReadFilesThatOnlyRootMayRead(@TempDir Path folder) throws IOException {
    assumeTrue(AgentUsers.isRoot(), "Skipped: only root can make such a file");
    // Private, in a folder that every isolation shows.
    var file = Files.createTempFile(Path.of("/usr"), ".runnel-test-", "");
    try (var stage = Stage.open(folder, this)) {
      Files.writeString(file, "hidden-of-root");

      assertThat(stage.obey("cat %s 2>/dev/null; echo done".formatted(file))).isEqualTo("done\n");
    } finally {
      Files.delete(file);
    }
  }

  /// The number of the account that agents of root have.
  default long accountOfAgents() {
    return AgentUsers.any().uid();
  }

  @Test
  default void agentOfRootHasAnotherAccountAndNoPower(@TempDir Path folder) throws IOException {
    assumeTrue(AgentUsers.isRoot(), "Skipped: only root has another account for agents");
    try (var stage = Stage.open(folder, this)) {
      var said = stage.obey("id -u; grep -E '^(CapPrm|CapEff|CapInh|CapAmb):' /proc/self/status");

      assertThat(said).doesNotStartWith("0\n").matches("(?s)[0-9]+\\n(Cap...:\\t0{16}\\n){4}");
    }
  }

  @Test
  default void agentCannotWriteOutsideItsOwnFolders(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      stage.obey(
          "for each in %s %s %s; do echo x > $each/x; mkdir -p $each/y; done; echo done"
              .formatted(stage.operator, stage.data, folder));

      assertThat(folder.resolve("x")).doesNotExist();
      assertThat(stage.data.resolve("x")).doesNotExist();
      assertThat(stage.operator.resolve("x")).doesNotExist();
      assertThat(stage.operator.resolve("y")).doesNotExist();
    }
  }

  @Test
  default void agentCannotReadFilesOfAnotherRun(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      stage.obey("n=hidden; for each in \"$HOME\" /tmp \"$PWD\"; do echo $n-x > $each/own; done");

      assertThat(stage.obey(SEARCH + "echo done")).isEqualTo("done\n");
    }
  }

  @Test
  default void agentLeavesNoHooksForOtherRunsOrTheOperator(@TempDir Path folder)
      throws IOException {
    try (var stage = Stage.open(folder, this)) {
      stage.obey(
          """
          mkdir -p $HOME/.claude; echo '{"hooks": {}}' > $HOME/.claude/settings.json
          echo 'touch pwned' > $HOME/.bashrc; echo x > $HOME/.gitconfig; echo done
          """);

      assertThat(stage.obey("ls -A $HOME $HOME/.claude 2>/dev/null; echo done"))
          .endsWith("done\n")
          .doesNotContain("settings.json", ".bashrc");
      assertThat(stage.operator.resolve(".claude/settings.json")).hasContent("{}");
      assertThat(stage.operator.resolve(".bashrc")).doesNotExist();
    }
  }

  @Test
  default void runnelFollowsNoLinksOutOfTheHomeOfAnAgent(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var outside = Files.createDirectories(folder.resolve("outside"));
      var id =
          stage.create(
              // Folders with mounted caches can be moved, but not deleted.
              """
              mv $HOME/go $HOME/x; ln -s %1$s $HOME/go; mv $HOME/.npm $HOME/y; ln -s %1$s $HOME/.npm
              readlink $HOME/go $HOME/.npm
              """
                  .formatted(outside));
      stage.service.awaitState(id, "SUCCEEDED");
      assertThat(stage.service.transcript(id)).isEqualTo("%1$s\n%1$s\n".formatted(outside));
      stage.service.followUp(id, "echo x > $HOME/.npm/x; ls -l $HOME; echo again");
      stage.service.awaitState(id, "SUCCEEDED");

      assertThat(stage.service.transcript(id)).endsWith("again\n");
      assertThat(outside).isEmptyDirectory();
    }
  }

  @Test
  default void agentFindsNoSocketsOfTheMachine(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this);
        var agent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      agent.bind(UnixDomainSocketAddress.of(stage.operator.resolve(".ssh/agent")));
      var said =
          stage.obey("env | grep -E 'DBUS|SSH_AUTH|DOCKER'; find / -type s 2>/dev/null; echo done");

      assertThat(said).isEqualTo("done\n");
    }
  }

  // H4: variables of environments

  @Test
  default void agentSeesNoVariablesOfAnotherEnvironment(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      assertThat(stage.obey("env")).contains("FOR_WEB=web-1").doesNotContain("FOR_DOCS");
    }
  }

  // H6: a stop

  @Test
  default void stoppedAgentLeavesNothingRunning(@TempDir Path folder) throws IOException {
    var seconds = ExecutorContract.mark();
    try (var stage = Stage.open(folder, this)) {
      var id =
          stage.create(
              """
              (setsid env -i PATH="$PATH" sh -c '(trap "" TERM HUP; sleep %1$s; sleep %1$s) &' &)
              sleep 0.3; touch ready; trap '' TERM; sleep %1$s; sleep %1$s
              """
                  .formatted(seconds));
      awaitFile(stage.workspace(id).resolve("ready"));
      assertThat(ExecutorContract.running(seconds)).isNotEmpty();

      stage.service.cancel(id);
      stage.service.awaitState(id, "CANCELLED");

      assertThat(ExecutorContract.running(seconds)).isEmpty();
    }
  }

  // H7: disk

  @Test
  default void agentThatFillsItsHomeOrTheCachesIsStopped(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var ids =
          Stream.of("$HOME", "/tmp", "/var/tmp")
              .map(each -> stage.create(filling(each) + "; sleep 60"))
              .toList();
      for (var id : ids) {
        assertEndedForItsDisk(stage, id, Duration.ofSeconds(60));
      }
      // Alone, because others would have a share of it.
      var inCaches = stage.create(filling("$HOME/.cache/pip") + "; sleep 60");
      assertEndedForItsDisk(stage, inCaches, Duration.ofSeconds(60));
    }
  }

  private static String filling(String folder) {
    return "dd if=/dev/zero of=%s/big bs=1M count=50".formatted(folder);
  }

  static void assertFillsTheDisk(Stage stage, String how) {
    assertEndedForItsDisk(stage, stage.create(how + "; sleep 60"), Duration.ofSeconds(30));
  }

  private static void assertEndedForItsDisk(Stage stage, String id, Duration time) {
    await()
        .atMost(time)
        .untilAsserted(() -> assertThat(stage.service.state(id)).isEqualTo("FAILED"));

    assertThat(stage.service.message(id)).contains("The limit is agents.limits.disk");
  }

  @Test
  default void agentThatFillsTheCachesWithEmptyFilesIsStopped(@TempDir Path folder)
      throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var id =
          stage.create(
              """
              cd "$HOME/.cache/pip" && i=0
              while [ $i -lt 400 ]; do mkdir $i; (cd $i; touch a b c d e f g h i j k l m n o p q r s t u v w x y z)
              i=$((i+1)); done; sleep 60\
              """);
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(stage.service.state(id)).isEqualTo("FAILED"));

      assertThat(stage.service.message(id))
          .contains("agents.limits.disk, for which a file has at least 4 KiB");
    }
  }

  /// What can be judged only where agents are processes of this machine, with Runnel's proxy as
  /// their network.
  interface OnThisMachine extends InjectedAgentContract {
    // C4, M: the network

    @Test
    default void agentCannotReachLocalInternalOrMetadataAddresses(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this);
          var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        var said =
            stage.obey(
                """
                directly() { timeout 3 bash -c "exec 3<>/dev/tcp/$1/$2" 2>/dev/null && echo reached it; }
                proxied() { timeout 9 bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128
                  printf "CONNECT $0 HTTP/1.1\\r\\n\\r\\n" >&3; head -1 <&3' $1; }
                directly 127.0.0.1 %1$d; directly 169.254.169.254 80; directly 10.0.0.1 443
                directly 1.1.1.1 53
                for each in 127.0.0.1:%1$d localhost:%1$d 0.0.0.0:443 169.254.169.254:80 10.0.0.1:443 \
                  '[::1]:443' '[::ffff:169.254.169.254]:80' '[fd00:ec2::254]:80' 2130706433:80 1.1.1.1:22; do
                  proxied $each
                done
                """
                    .formatted(server.getLocalPort()));

        assertThat(said).doesNotContain("reached it");
        assertThat(
                said.lines().filter(line -> line.startsWith("HTTP/1.1 403 Runnel does not permit")))
            .hasSize(10);
      }
    }

    // H7: disk

    @Test
    default void agentThatFillsTheDiskWithADeletedFileIsStopped(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this)) {
        assertFillsTheDisk(
            stage, "exec 3> /tmp/hidden; rm /tmp/hidden; dd if=/dev/zero bs=1M count=50 >&3");
      }
    }

    // M: memory

    @Test
    default void agentProcessThatUsesTooMuchMemoryIsKilled(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this)) {
        var said =
            stage.obey(
                "dd if=/dev/zero of=/dev/null bs=400M count=1 2>/dev/null && echo took it; echo x");

        assertThat(said).endsWith("x\n").doesNotContain("took it");
        assertThat(stage.obey("echo fine")).isEqualTo("fine\n");
      }
    }
  }

  private static String namespace() throws IOException {
    return Files.readSymbolicLink(Path.of("/proc/self/ns/mnt")).toString();
  }

  /// A machine with secrets, and a service on it whose agents obey.
  record Stage(Path operator, Path data, RunningService service) implements AutoCloseable {
    public static Stage open(Path folder, InjectedAgentContract contract) throws IOException {
      var operator = Files.createDirectories(folder.resolve("operator"));
      var data = Files.createDirectories(folder.resolve("data"));
      for (var secret :
          List.of(
              folder.resolve("runnel.yaml"),
              data.resolve("agent-api-key"),
              data.resolve("runnel.db"),
              operator.resolve(".ssh/id_ed25519"),
              operator.resolve(".config/gh/hosts.yml"),
              operator.resolve(".claude/history.jsonl"))) {
        Files.createDirectories(secret.getParent());
        Files.writeString(secret, "hidden-" + secret.getFileName());
      }
      Files.writeString(operator.resolve(".claude/settings.json"), "{}");
      var bin = Files.createDirectories(folder.resolve("bin"));
      var variables = new HashMap<String, String>();
      for (var name :
          List.of(
              "GITHUB_PRIVATE_KEY",
              "SLACK_BOT_TOKEN",
              "RUNNEL_AGENT_API_KEY",
              "AWS_SECRET_ACCESS_KEY",
              "SSH_AUTH_SOCK",
              "DBUS_SESSION_BUS_ADDRESS")) {
        variables.put(name, "hidden-" + name);
      }
      variables.putAll(
          Map.of(
              "PATH",
              bin + ":" + System.getenv("PATH"),
              "HOME",
              operator.toString(),
              "FOR_WEB",
              "web-1",
              "FOR_DOCS",
              "docs-1"));
      var isolation =
          contract.isolation(
              new Machine(
                  variables,
                  List.of(data, folder.resolve("runnel.yaml")),
                  List.of(),
                  List.of(),
                  new Quotas(200 << 20, 300, 1),
                  AgentUsers.any()),
              folder);
      var environments =
          new Environments(
              List.of(environment("web", "FOR_WEB"), environment("docs", "FOR_DOCS")),
              Optional.empty(),
              Map.of("FOR_WEB", "web-1", "FOR_DOCS", "docs-1"));
      var setup =
          Setup.USUAL
              .with(isolation)
              .with(environments)
              .with(
                  new Limits(
                      Limits.DEFAULT.start(),
                      Limits.DEFAULT.idle(),
                      Limits.DEFAULT.total(),
                      Limits.DEFAULT.outputBytes(),
                      20 << 20,
                      Limits.DEFAULT.keep(),
                      Limits.DEFAULT.keepBytes(),
                      Limits.DEFAULT.drain()));
      return new Stage(
          operator,
          data,
          RunningService.inOnlyThisEnvironment(data, Optional.of("sh"), variables, setup));
    }

    private static Environment environment(String name, String variable) {
      return Environment.named(name)
          .withImage(Optional.of(ContainerRuntime.IMAGE))
          .withVariables(List.of(variable));
    }

    public String create(String commands) {
      ObjectNode body = RunningService.JSON.createObjectNode().put("prompt", commands);
      body.putObject("config").put("environment_id", "web");
      return service.create(body);
    }

    /// What the agent prints that runs the commands.
    public String obey(String commands) {
      var id = create(commands);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> List.of("SUCCEEDED", "FAILED").contains(service.state(id)));
      return service.transcript(id);
    }

    public Path workspace(String id) {
      return data.resolve("workspaces").resolve(id);
    }

    @Override
    public void close() {
      service.close();
    }
  }
}
