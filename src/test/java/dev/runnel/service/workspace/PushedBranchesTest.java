package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.FakeCommandRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PushedBranchesTest {
  private static final String SHOP = "https://git.example/acme/shop.git";
  private static final String NONE = "0".repeat(40);

  @TempDir Path clone;

  @Test
  void commitsThatWereMadeAndPushedAreInGitsLogFiles() throws IOException {
    log("HEAD", 1, 2);

    assertThat(PushedBranches.commitsOf(clone)).containsExactlyInAnyOrder(commit(1), commit(2));
  }

  @Test
  void anAgentThatWritesCommitsWithoutEndDoesNotFillTheMemory() throws IOException {
    for (int i = 0; i < 4; i++) {
      log("refs/heads/b" + i, i * 38_000 + 1, (i + 1) * 38_000);
    }

    assertThat(PushedBranches.commitsOf(clone)).hasSizeLessThanOrEqualTo(100_000);
  }

  @Test
  void anAgentThatWritesLogFilesWithoutEndDoesNotKeepRunnelReading() throws IOException {
    var junk = "\n".repeat(3 * 1024 * 1024);
    for (int i = 0; i < 12; i++) {
      log("refs/heads/b" + i, i + 1, i + 1);
      Files.writeString(
          clone.resolve(".git/logs/refs/heads/b" + i), junk, StandardOpenOption.APPEND);
    }

    assertThat(PushedBranches.commitsOf(clone)).hasSizeBetween(1, 6);
  }

  @ParameterizedTest
  @CsvSource({"1, 1, fix", "2, 1, ''", "1, 2, ''", "1, 0, ''"})
  void pullRequestBelongsToTheRunIfHeadAndBranchMatchItsPush(int head, int branch, String opened)
      throws Exception {
    var pushes = clone.resolve("pushes");
    PushedBranches.add(new PushedBranches.Push(SHOP, "fix", commit(1)), pushes);
    var server = new FakeCommandRunner();
    server.put("refs/pull/7/head", commit(head));
    if (branch > 0) {
      server.put("refs/heads/fix", commit(branch));
    }
    var environment =
        Environment.named("web")
            .withRepositories(
                List.of(Repository.of(SHOP, Optional.empty(), Optional.empty(), Optional.empty())));

    var found =
        new PushedBranches(new Git(server, Map.of()), clone, pushes, Set.of(SHOP))
            .of("https://git.example/acme/shop/pull/7", environment, clone);

    assertThat(found.orElse("")).isEqualTo(opened);
  }

  private void log(String ref, int from, int to) throws IOException {
    var lines = new StringBuilder();
    for (int i = from; i <= to; i++) {
      lines.append(NONE).append(' ').append(commit(i)).append(" A <a> 1 +0000\tcommit: x\n");
    }
    var file = clone.resolve(".git/logs").resolve(ref);
    Files.createDirectories(file.getParent());
    Files.writeString(file, lines);
  }

  private static String commit(int number) {
    return "%040x".formatted(number);
  }
}
