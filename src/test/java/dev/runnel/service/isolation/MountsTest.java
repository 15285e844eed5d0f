package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.RunHome;
import dev.runnel.service.workspace.Workspaces;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.Bubblewrapped;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What isolated commands see of the machine's files.
class MountsTest {
  @TempDir Path folder;
  private Path data;
  private RunHome home;
  private Isolation.Place place;

  @BeforeEach
  void makeAPlace() throws IOException {
    folder = folder.toRealPath();
    data = Files.createDirectories(folder.resolve("machine/data"));
    Files.writeString(data.resolve("key"), "secret-key");
    Files.writeString(folder.resolve("machine/runnel.yaml"), "secret-settings");
    var workspaces =
        new Workspaces(data.resolve("workspaces"), Environments.NONE, AgentUsers.any());
    home = workspaces.home("run", Environment.NONE);
    var root = Files.createDirectories(workspaces.root("run"));
    AgentUsers.any().own(root);
    place =
        new Isolation.Place(
            ExecutionRequest.internal("run"),
            root,
            root,
            Environment.named("web").withImage(Optional.of("node:22")),
            Set.of(),
            List.of(),
            home);
  }

  private Machine machine(Path... readable) {
    return new Machine(
        Map.of("PATH", System.getenv("PATH")),
        List.of(data, folder.resolve("machine/runnel.yaml")),
        List.of(readable),
        List.of(),
        Quotas.DEFAULT,
        AgentUsers.any());
  }

  @Nested
  @Tag("slow")
  class InABubblewrap {
    @BeforeEach
    void works() {
      Bubblewrapped.require();
    }

    @Test
    void hiddenPathIsCoveredUnderItsRealPath() throws Exception {
      assertThat(search(machine(folder.resolve("machine")))).doesNotContain("secret");
    }

    @Test
    void hiddenPathIsCoveredBehindALink() throws Exception {
      var link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("machine"));

      assertThat(search(machine(link))).doesNotContain("secret");
      assertThat(search(machine(folder.resolve("machine"), link))).doesNotContain("secret");
    }

    @Test
    void theWorkspaceIsWritableInACoveredFolderAndNothingElseIs() throws Exception {
      var said =
          run(
              machine(folder.resolve("machine")),
              "echo mine > file && cat file; touch %1$s/x; ls %1$s".formatted(data));

      assertThat(said).startsWith("mine\n").endsWith("homes\nworkspaces\n");
    }

    @Test
    void aProgramOfTheSystemThatIsALinkCanBeNamed() throws Exception {
      var link =
          Files.createSymbolicLink(folder.resolve("program"), Path.of("/bin/sh").toRealPath());

      assertThat(run(machine(Path.of("/bin/sh"), Path.of("/usr/bin/awk"), link), "echo works"))
          .isEqualTo("works\n");
    }

    @Test
    void theRootHoldsOnlyWhatProgramsNeed() throws Exception {
      var machine =
          new Machine(
              Map.of("PATH", "/usr/local/bin:/usr/bin:/bin"),
              List.of(),
              List.of(),
              List.of(),
              Quotas.DEFAULT,
              AgentUsers.any());

      assertThat(run(machine, "ls -A /").lines())
          .contains("usr", "etc")
          .isSubsetOf(
              "bin",
              "dev",
              "etc",
              "lib",
              "lib32",
              "lib64",
              "libx32",
              "nix",
              "opt",
              "proc",
              "sbin",
              "sys",
              "tmp",
              "usr",
              "var",
              // The workspace is there.
              folder.getName(0).toString());
      assertThat(run(machine, "ls -A /etc /etc/ssl").lines())
          .contains("passwd")
          .doesNotContain("shadow", "gshadow", "private", "ssh", "sudoers", "machine-id");
      assertThat(run(machine, "ls -A /var").lines()).containsExactly("tmp");
    }

    @Test
    void onlyTemporaryFoldersOfTheRunAreWritable() throws Exception {
      var said =
          run(
              machine(),
              """
              for each in /tmp /var/tmp /dev/shm /dev / /etc /usr; do
                name=own$(echo $each | tr / -)
                (echo x > $each/$name) 2> /dev/null && echo $each
              done
              """);

      assertThat(said).isEqualTo("/tmp\n/var/tmp\n/dev/shm\n");
      assertThat(home.temporary().resolve("own-tmp")).exists();
      assertThat(home.temporary().resolve("own-var-tmp")).exists();
      assertThat(home.sharedMemory().resolve("own-dev-shm")).exists();
    }

    @Test
    void agentOfRootHasANameAndItsHomeFolder() throws Exception {
      Assumptions.assumeTrue(AgentUsers.isRoot(), "Skipped: it has the account of this process");

      assertThat(run(machine(), "id -un; eval echo ~runnel-agents; id -un 0"))
          .isEqualTo("runnel-agents\n%s\nroot\n".formatted(home.folder()));
    }

    @Test
    void aProcessHasTheLimitOfMemory() throws Exception {
      var kibibytes = Quotas.DEFAULT.memoryBytes() / 1024;

      assertThat(run(machine(), "ulimit -d")).isEqualTo(kibibytes + "\n");
    }

    private String search(Machine machine) throws Exception {
      return run(machine, "grep -rs secret %s; echo done".formatted(folder));
    }

    private String run(Machine machine, String script) throws Exception {
      var isolation = Isolations.choose("bubblewrap", machine);
      var process =
          new ProcessBuilder(isolation.wrap(List.of("/bin/sh", "-c", script), place))
              .redirectErrorStream(true)
              .start();
      var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return said;
    }
  }

  @Nested
  class InAContainer {
    @Test
    void hiddenPathIsCoveredUnderItsRealPathAndBehindALink() throws IOException {
      var machine = folder.resolve("machine");
      var link = Files.createSymbolicLink(folder.resolve("link"), machine);

      assertThat(String.join(" ", command(machine(machine, link))))
          .contains("--volume %1$s:%1$s:ro".formatted(machine))
          .contains("--volume %1$s:%1$s:ro".formatted(link))
          .contains("--tmpfs %s:".formatted(data))
          .contains("--tmpfs %s:".formatted(link.resolve("data")))
          .contains("--volume /dev/null:%s/runnel.yaml:ro".formatted(machine))
          .contains("--volume /dev/null:%s/runnel.yaml:ro".formatted(link));
    }

    private List<String> command(Machine machine) {
      return new Container(Path.of("/usr/bin/docker"), machine)
          .wrap(List.of("/bin/sh", "-c", "exit"), place);
    }
  }
}
