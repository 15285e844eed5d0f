package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceChangesTest {
  private static final String COMMIT =
      "%1$s %1$s A <a@example.com> 4000000000 +0000\tcommit: Fix it\n".formatted("a".repeat(40));

  @TempDir Path root;

  @Test
  void filesAndCommitsSinceTheStartAreCounted() throws IOException {
    clone("shop");
    Files.writeString(root.resolve("shop/a.txt"), "a");

    assertThat(WorkspaceChanges.since(Instant.EPOCH, root)).isEqualTo(new WorkspaceChanges(1, 1));
  }

  @Test
  void aFileWrittenRightAfterTheStartCountsAndOneRightBeforeDoesNot() throws Exception {
    for (int i = 0; i < 50; i++) {
      Files.writeString(root.resolve("before" + i), "x");
      var start = WorkspaceChanges.start(root);
      Files.writeString(root.resolve("after" + i), "x");

      assertThat(WorkspaceChanges.since(start, root).files()).isEqualTo(1);
    }
  }

  @Test
  void startTimeCheckLeavesNoFile() throws Exception {
    WorkspaceChanges.start(root);

    assertThat(root).isEmptyDirectory();
  }

  @Test
  void numberOfScannedFoldersIsLimited() throws IOException {
    for (int i = 0; i < 50; i++) {
      clone("folder" + i);
    }

    assertThat(WorkspaceChanges.since(Instant.EPOCH, root, 20).commits()).isBetween(1, 20);
  }

  @Test
  void anAgentThatLinksOneLogFileWithoutEndDoesNotKeepRunnelReading() throws IOException {
    clone("first");
    var log = root.resolve("first/.git/logs/HEAD");
    Files.writeString(log, "\n".repeat(3 * 1024 * 1024), StandardOpenOption.APPEND);
    for (int i = 0; i < 20; i++) {
      var logs = Files.createDirectories(root.resolve("more" + i + "/.git/logs"));
      Files.createLink(logs.resolve("HEAD"), log);
    }

    assertThat(WorkspaceChanges.since(Instant.EPOCH, root).commits()).isBetween(1, 6);
  }

  private void clone(String name) throws IOException {
    var logs = Files.createDirectories(root.resolve(name).resolve(".git").resolve("logs"));
    Files.writeString(logs.resolve("HEAD"), COMMIT);
  }
}
