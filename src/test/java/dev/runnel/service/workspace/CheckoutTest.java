package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What of the operator's git takes part in the clones of runs: nothing that changes files or runs
/// programs.
class CheckoutTest {
  private static final String POINTER =
      """
      version https://git-lfs.github.com/spec/v1
      oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
      size 12345
      """;

  @TempDir Path folder;
  private Programs programs;

  @BeforeEach
  void createRepository() throws Exception {
    var source = Files.createDirectories(folder.resolve("shop"));
    programs = new Programs(Files.createDirectories(folder.resolve("home")));
    programs.git(source, "init", "--quiet", "--initial-branch=main");
    Files.writeString(source.resolve(".gitattributes"), "*.bin filter=lfs diff=lfs -text\n");
    Files.writeString(source.resolve("big.bin"), POINTER);
    Files.writeString(source.resolve("text.txt"), "a\nb\n");
    programs.git(source, "add", ".");
    programs.git(
        source, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "one");
  }

  @Test
  void largeFilesArePointersAlthoughTheOperatorHasAFilterForThem() throws Exception {
    configure(
        """
        [filter "lfs"]
          smudge = false
          process = false
          required = true
        """);

    assertThat(checkedOut("big.bin")).isEqualTo(POINTER);
  }

  @Test
  void filterOfTheOperatorDoesNotRunForItsOwnAttributes() throws Exception {
    var attributes = Files.writeString(folder.resolve("attributes"), "*.txt filter=upper\n");
    configure(
        """
        [core]
          attributesFile = %s
        [filter "upper"]
          smudge = tr a-z A-Z
        """
            .formatted(attributes));

    assertThat(checkedOut("text.txt")).isEqualTo("a\nb\n");
  }

  @Test
  void attributesInTheFolderOfTheOperatorDoNotCount() throws Exception {
    var git = Files.createDirectories(folder.resolve("home/.config/git"));
    Files.writeString(git.resolve("attributes"), "*.txt text eol=crlf\n");

    assertThat(checkedOut("text.txt")).isEqualTo("a\nb\n");
  }

  @Test
  void lineEndsOfTheOperatorDoNotCount() throws Exception {
    configure("[core]\n  autocrlf = true\n");

    assertThat(checkedOut("text.txt")).isEqualTo("a\nb\n");
  }

  @Test
  void nameOfTheRemoteOfTheOperatorDoesNotCount() throws Exception {
    configure("[clone]\n  defaultRemoteName = upstream\n");

    assertThat(checkedOut("text.txt")).isEqualTo("a\nb\n");
  }

  private void configure(String config) throws IOException {
    Files.writeString(folder.resolve("home/.gitconfig"), config);
  }

  private String checkedOut(String file) throws Exception {
    var repository =
        Repository.of(
            folder.resolve("shop").toString(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    var target = folder.resolve("clone");
    new CloneCache(folder.resolve("repositories"), Map.of()).checkOut(repository, target, programs);
    return Files.readString(target.resolve(file));
  }
}
