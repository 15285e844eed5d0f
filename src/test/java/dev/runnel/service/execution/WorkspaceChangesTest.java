package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceChangesTest {
  @TempDir Path root;

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
  void nothingIsLeftOfLookingAtTheClock() throws Exception {
    WorkspaceChanges.start(root);

    assertThat(root).isEmptyDirectory();
  }
}
