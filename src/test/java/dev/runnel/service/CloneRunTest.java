package dev.runnel.service;

import static dev.runnel.service.EnvironmentRuns.answer;
import static dev.runnel.service.EnvironmentRuns.environments;
import static dev.runnel.service.EnvironmentRuns.failure;
import static dev.runnel.service.EnvironmentRuns.web;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Folders;
import dev.runnel.service.workspace.Repository;
import dev.runnel.testkit.LocalRepository;
import dev.runnel.testkit.MockServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mockwebserver3.MockResponse;
import okhttp3.Credentials;
import okhttp3.Headers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the clone cache promises, seen from runs, with real git.
@Tag("slow")
class CloneRunTest {
  private static final String SECRET = "s3cret-value";

  @TempDir Path folder;
  private LocalRepository shop;
  private LocalRepository tools;

  @BeforeEach
  void repositories() {
    shop = LocalRepository.make(folder.resolve("origin/acme/shop"));
    shop.commit("README.md", "The shop\n");
    tools = LocalRepository.make(folder.resolve("origin/acme/tools"));
    tools.commit("tool.txt", "a hammer\n");
  }

  @Test
  void cloneTokenIsSentOnlyToItsHostAndNotStored() throws Exception {
    try (var server = MockServers.create()) {
      server.start();
      server.enqueue(
          new MockResponse(401, Headers.of("WWW-Authenticate", "Basic realm=\"git\""), ""));
      server.enqueue(new MockResponse(500, Headers.of(), ""));
      var repository =
          Repository.of(
              server.url("/acme/private.git").toString(),
              Optional.empty(),
              Optional.empty(),
              Optional.of("GIT_TOKEN"));
      var setup =
          Setup.USUAL.with(
              new Environments(
                  List.of(web("web", repository)), Optional.empty(), Map.of("GIT_TOKEN", SECRET)));
      var trace = folder.resolve("trace");
      try (var service =
          RunningService.inEnvironment(
              folder, Optional.of("echo never"), Map.of("GIT_TRACE", trace.toString()), setup)) {
        assertThat(failure(service, "web"))
            .startsWith("acme/private could not be fetched")
            .doesNotContain(SECRET);
      }
      assertThat(server.takeRequest().getHeaders().get("Authorization")).isNull();
      assertThat(server.takeRequest().getHeaders().get("Authorization"))
          .isEqualTo(Credentials.basic("x-access-token", SECRET));
      assertThat(Files.readString(trace)).contains("ls-remote").doesNotContain(SECRET);
    }
    try (var files = Files.walk(folder)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain(SECRET);
      }
    }
  }

  @Test
  void repositoryTokensAreHiddenFromAgentsThatMayNotUseThem() {
    var kept =
        Repository.of(
            "https://git.example.com/acme/kept",
            Optional.empty(),
            Optional.empty(),
            Optional.of("GIT_TOKEN"));
    var setup =
        Setup.USUAL.with(
            new Environments(
                List.of(web("web", kept)),
                Optional.of(Environment.NONE),
                Map.of("GIT_TOKEN", SECRET)));
    try (var service =
        RunningService.inEnvironment(
            folder,
            Optional.of("env | grep -c GIT_TOKEN; echo over"),
            Map.of("GIT_TOKEN", SECRET),
            setup)) {
      assertThat(answer(service, "")).isEqualTo("0\nover");
    }
  }

  @Test
  void cloneExecutesNoCodeOfTheRepository() {
    var marker = folder.resolve("executed");
    shop.commit(".githooks/post-checkout", "#!/bin/sh\ntouch " + marker + "\n");
    shop.folder().resolve(".githooks/post-checkout").toFile().setExecutable(true);
    shop.commitAll(); // the right to execute
    var home = LocalRepository.make(folder.resolve("home"));
    write(
        home.folder().resolve(".gitconfig"),
        "[core]\n hooksPath = .githooks\n fsmonitor = touch " + marker + "\n");
    try (var service =
        RunningService.inEnvironment(
            folder,
            Optional.of("cat README.md"),
            Map.of("HOME", home.folder().toString()),
            environments(web(shop)))) {
      assertThat(answer(service, "web")).isEqualTo("The shop");
      assertThat(marker).doesNotExist();
    }
  }

  @Test
  void cloneRecoversFromStaleGitLocks() {
    try (var service = service("cat README.md", web(shop))) {
      assertThat(answer(service, "web")).isEqualTo("The shop");
      shop.commit("README.md", "Newer\n");
      write(mirror().resolve("packed-refs.lock"), "");
      write(mirror().resolve("refs/heads/main.lock"), "");

      assertThat(answer(service, "web")).isEqualTo("Newer");
    }
  }

  @Test
  void aMirrorWithAnEmptyRefIsBuiltAgain() {
    try (var service = service("cat README.md", web(shop))) {
      assertThat(answer(service, "web")).isEqualTo("The shop");
      shop.commit("README.md", "Newer\n");
      write(mirror().resolve("refs/heads/main"), "");

      assertThat(answer(service, "web")).isEqualTo("Newer");
      assertThat(mirrors()).hasSize(1);
    }
  }

  @Test
  void aMirrorWithAnEmptyCommitIsBuiltAgain() {
    var commit = shop.git("rev-parse", "HEAD").strip();
    try (var service = service("cat README.md", web(shop))) {
      assertThat(answer(service, "web")).isEqualTo("The shop");
      shop.commit("README.md", "Newer\n");
      truncateObject(commit);

      assertThat(answer(service, "web")).isEqualTo("Newer");
    }
  }

  @Test
  void aMirrorWithAnEmptyFileContentIsBuiltAgain() {
    // A fetch does not read it.
    var blob = shop.git("rev-parse", "HEAD:README.md").strip();
    try (var service = service("cat README.md", web(shop))) {
      assertThat(answer(service, "web")).isEqualTo("The shop");
      truncateObject(blob);

      assertThat(answer(service, "web")).isEqualTo("The shop");
    }
  }

  @Test
  void aDamagedMirrorIsKeptWhileItsServerIsAway() throws Exception {
    try (var service = service("cat README.md", web(shop))) {
      assertThat(answer(service, "web")).isEqualTo("The shop");
      var head = write(mirror().resolve("HEAD"), "");
      var away = folder.resolve("away");
      Files.move(shop.folder(), away);

      assertThat(failure(service, "web")).startsWith("acme/shop could not be fetched");
      assertThat(mirrors()).hasSize(1);
      assertThat(head).isEmptyFile();
      Files.move(away, shop.folder());
      assertThat(answer(service, "web")).isEqualTo("The shop");
      assertThat(head).isNotEmptyFile();
    }
  }

  @Test
  void aServerWhoseHeadNamesNoBranchFailsTheSetupUnlessARefIsSet() {
    try (var service =
        RunningService.with(
            folder,
            "cat README.md",
            4,
            environments(web(shop), web("trunk", EnvironmentRuns.at(shop, "trunk"))))) {
      assertThat(answer(service, "web")).isEqualTo("The shop");
      shop.git("branch", "--move", "main", "trunk");
      shop.git("symbolic-ref", "HEAD", "refs/heads/main");

      assertThat(failure(service, "web")).isEqualTo("acme/shop has no default branch; set ref");
      assertThat(answer(service, "trunk")).isEqualTo("The shop");
      shop.git("symbolic-ref", "HEAD", "refs/heads/trunk");
      assertThat(answer(service, "web")).isEqualTo("The shop");
    }
  }

  @Test
  void aRepositoryWithADetachedHeadIsCheckedOutAtItsCommit() {
    shop.git("checkout", "--quiet", "--detach");
    shop.commit("README.md", "On no branch\n");
    try (var service = service("cat README.md; git branch --show-current", web(shop))) {
      assertThat(answer(service, "web")).isEqualTo("On no branch");
      shop.commit("README.md", "Newer\n");
      assertThat(answer(service, "web")).isEqualTo("Newer");
      shop.git("checkout", "--quiet", "main");
      assertThat(answer(service, "web")).isEqualTo("The shop\nmain");
    }
  }

  @Test
  void anEmptyRepositoryGivesAnEmptyWorkspace() {
    var empty = LocalRepository.make(folder.resolve("origin/acme/empty"));
    try (var service = service("ls; echo nothing", web(empty))) {
      assertThat(answer(service, "web")).isEqualTo("nothing");
    }
  }

  @Test
  void workspacesOnAnotherDiskGetCopiesOfTheMirror() throws Exception {
    var otherDisk = Path.of("/dev/shm");
    assumeThat(otherDisk).isDirectory();
    assumeThat(Files.getFileStore(otherDisk)).isNotEqualTo(Files.getFileStore(folder));
    var disk = Files.createTempDirectory(otherDisk, "runnel-");
    try {
      Files.createSymbolicLink(folder.resolve("workspaces"), disk);
      try (var service = service("cat README.md", web(shop))) {
        assertThat(answer(service, "web")).isEqualTo("The shop");
      }
    } finally {
      Folders.delete(disk);
    }
  }

  @Test
  void mirrorOfAnUnusedRepositoryIsDeleted() {
    try (var service = service("cat README.md", web(shop))) {
      answer(service, "web");
      assertThat(mirror()).exists();
    }
    try (var _ = service("cat", web(tools))) {
      await().untilAsserted(() -> assertThat(folder.resolve("repositories")).isEmptyDirectory());
    }
  }

  private Path mirror() {
    return mirrors().getFirst();
  }

  private void truncateObject(String id) {
    var file = mirror().resolve("objects/" + id.substring(0, 2) + "/" + id.substring(2));
    assertThat(file.toFile().setWritable(true)).isTrue();
    write(file, "");
  }

  private List<Path> mirrors() {
    try (var mirrors = Files.list(folder.resolve("repositories"))) {
      return mirrors.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private RunningService service(String command, Environment one) {
    return RunningService.with(folder, command, 4, environments(one));
  }

  private static Path write(Path file, String text) {
    try {
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
