package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.testkit.AgentUsers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentUserTest {
  private static final AgentUser AGENTS = new AgentUser(64_322, 64_323);

  @TempDir Path folder;

  @BeforeEach
  void isRoot() {
    assumeThat(AgentUsers.isRoot()).isTrue();
  }

  @Test
  void folderIsTakenOverWithAllThatItsOwnerHas() throws IOException {
    var root = Files.createDirectories(folder.resolve("run"));
    Files.writeString(Files.createDirectories(root.resolve("src/deep")).resolve("file"), "x");
    Files.createSymbolicLink(root.resolve("link"), Path.of("/etc/passwd"));

    AGENTS.takeOver(root);

    for (var each : new String[] {"", "src", "src/deep", "src/deep/file", "link"}) {
      assertThat(owner(root.resolve(each))).as(each).isEqualTo(AGENTS.uid());
      assertThat(Files.getAttribute(root.resolve(each), "unix:gid", LinkOption.NOFOLLOW_LINKS))
          .isEqualTo(AGENTS.gid());
    }
    assertThat(owner(Path.of("/etc/passwd"))).isEqualTo(0);
  }

  @Test
  void fileOfAnotherOwnerIsLeftAlone() throws IOException {
    var root = Files.createDirectories(folder.resolve("run"));
    var secret = Files.writeString(folder.resolve("secret"), "of root");
    new AgentUser(64_400, 64_400).own(root);
    // As an agent can link to it where the kernel permits that.
    Files.createLink(root.resolve("planted"), secret);

    AGENTS.takeOver(root);

    assertThat(owner(root)).isEqualTo(AGENTS.uid());
    assertThat(owner(secret)).isEqualTo(0);
  }

  @Test
  void ownFolderIsNotSearched() throws IOException {
    var root = Files.createDirectories(folder.resolve("run"));
    AGENTS.takeOver(root);
    var ofRoot = Files.writeString(root.resolve("file"), "x");

    AGENTS.takeOver(root);

    assertThat(owner(ofRoot)).isEqualTo(0);
  }

  @Test
  void rootTakesOverFromAnotherAccount() throws IOException {
    var root = Files.createDirectories(folder.resolve("run"));
    AGENTS.takeOver(root);

    new AgentUser(0, 0).takeOver(root);

    assertThat(owner(root)).isEqualTo(0);
  }

  @Test
  void filesWrittenForAnAgentAreItsOwn() throws IOException {
    var home = RunHome.make(folder.resolve("homes/run"), folder.resolve("caches/web"), AGENTS);
    home.write(".gitconfig", "[user]\n");
    home.copy(Files.writeString(folder.resolve("login"), "key"), ".claude/.credentials.json");
    home.change(".claude/.credentials.json", _ -> "other");

    for (var each :
        new String[] {"", ".gitconfig", ".claude", ".claude/.credentials.json", ".m2"}) {
      assertThat(owner(home.folder().resolve(each))).as(each).isEqualTo(AGENTS.uid());
    }
    assertThat(owner(home.caches())).isEqualTo(AGENTS.uid());
    assertThat(owner(home.sharedMemory())).isEqualTo(AGENTS.uid());
    assertThat(home.folder().resolve(".claude/.credentials.json")).hasContent("other");
  }

  @Test
  void launchFilesAreTheAgentsAndFollowNoLinkOfIt() throws IOException {
    var elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
    var ofRun = folder.resolve("agents/run");
    var files =
        new LaunchFiles(
            ofRun,
            folder.resolve("workspace"),
            Map.of("HOME", folder.resolve("home").toString()),
            AgentAccess.WORKSPACE,
            PermissionRules.NONE,
            true,
            true,
            AGENTS);
    var first = files.attach(1, "a.txt", new byte[] {1});
    assertThat(owner(first)).isEqualTo(AGENTS.uid());
    assertThat(owner(ofRun)).isEqualTo(AGENTS.uid());
    assertThat(owner(folder.resolve("agents"))).isEqualTo(0);
    files.close();

    Files.delete(ofRun.resolve("attachments"));
    Files.createSymbolicLink(ofRun.resolve("attachments"), elsewhere);
    files.attach(2, "b.txt", new byte[] {1});

    assertThat(elsewhere).isEmptyDirectory();
    assertThat(ofRun.resolve("attachments/2-b.txt")).exists();
  }

  @Test
  void folderOfAllRunsStaysTheServers() throws IOException {
    RunHome.make(folder.resolve("homes/run"), folder.resolve("caches/web"), AGENTS);

    assertThat(owner(folder.resolve("homes"))).isEqualTo(0);
    assertThat(owner(folder.resolve("homes/run"))).isEqualTo(0);
  }

  private static Object owner(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }
}
