package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunHomeTest {
  @TempDir Path folder;

  @Test
  void copiedLoginIsPrivateAndKeptUntilTheOriginalIsNewer() throws IOException {
    var login = Files.writeString(folder.resolve("login"), "first");
    var home = home();
    home.copy(login, ".agent/login");
    var copy = home.folder().resolve(".agent/login");
    assertThat(copy).hasContent("first");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
        .isEqualTo("rw-------");

    Files.writeString(copy, "renewed by the agent");
    Files.setLastModifiedTime(copy, FileTime.from(Instant.now().plusSeconds(10)));
    home.copy(login, ".agent/login");
    assertThat(copy).hasContent("renewed by the agent");

    Files.writeString(login, "second");
    Files.setLastModifiedTime(login, FileTime.from(Instant.now().plusSeconds(20)));
    home.copy(login, ".agent/login");
    assertThat(copy).hasContent("second");
  }

  @Test
  void aLinkOfTheAgentIsReplacedInsteadOfFollowed() throws IOException {
    var outside = Files.createDirectories(folder.resolve("outside"));
    var home = home();
    Files.createSymbolicLink(home.folder().resolve(".agent"), outside);
    Files.createSymbolicLink(home.folder().resolve("file"), outside.resolve("file"));

    home.copy(Files.writeString(folder.resolve("login"), "x"), ".agent/login");
    home.copy(folder.resolve("login"), "file");
    home.write("other", "y");

    assertThat(outside).isEmptyDirectory();
    assertThat(home.folder().resolve(".agent/login")).hasContent("x");
    assertThat(Files.isRegularFile(home.folder().resolve("file"), LinkOption.NOFOLLOW_LINKS))
        .isTrue();
  }

  @Test
  void aLinkInsteadOfACacheIsReplacedWhenTheHomeIsUsedAgain() throws IOException {
    var outside = Files.createDirectories(folder.resolve("outside"));
    var npm = home().folder().resolve(".npm");
    Folders.delete(npm);
    Files.createSymbolicLink(npm, outside);

    assertThat(home().mounts()).containsKey(npm.resolve("_cacache"));
    assertThat(Files.isDirectory(npm, LinkOption.NOFOLLOW_LINKS)).isTrue();
  }

  @Test
  void cachesAreSharedByTheRunsOfOneEnvironmentOnly() throws IOException {
    var workspaces = new Workspaces(folder.resolve("workspaces"), Environments.NONE);
    var first = workspaces.home("first", Environment.named("web"));
    var second = workspaces.home("second", Environment.named("web"));
    var other = workspaces.home("other", Environment.named("docs"));

    assertThat(second.mounts()).containsValues(first.mounts().values().toArray(Path[]::new));
    assertThat(other.mounts().values()).doesNotContainAnyElementsOf(first.mounts().values());
    assertThat(second.folder()).isNotEqualTo(first.folder());
  }

  @Test
  void aSettingsFileBesideACacheIsTheRunsOwnCopy() throws IOException {
    var settings = Files.writeString(folder.resolve("settings.xml"), "<settings/>");
    var home = home();
    home.copy(settings, ".m2/settings.xml");

    assertThat(home.mounts().keySet())
        .noneMatch(home.folder().resolve(".m2/settings.xml")::startsWith);
  }

  @Test
  void copyToAPathOutsideTheHomeIsRefused() throws IOException {
    var home = home();
    var login = Files.writeString(folder.resolve("login"), "x");

    assertThatThrownBy(() -> home.copy(login, "../login2")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> home.copy(login, "/login2")).isInstanceOf(IOException.class);
  }

  @Test
  void gitIdentityContainsOnlyTheNameAndTheEmailAddress() throws IOException {
    var configuration =
        Files.writeString(
            folder.resolve(".gitconfig"),
            """
            [user]
              name = Mona Lisa
              email = mona@example.org
              signingkey = secret
            [url "https://token@example.org/"]
              insteadOf = https://example.org/
            """);

    assertThat(GitIdentity.of(configuration))
        .contains("[user]\n\tname = Mona Lisa\n\temail = mona@example.org\n");
    assertThat(GitIdentity.of(folder.resolve("none"))).isEmpty();
  }

  private RunHome home() throws IOException {
    return RunHome.make(folder.resolve("homes/run"), folder.resolve("caches/web"), AgentUser.SAME);
  }
}
