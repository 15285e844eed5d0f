package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.MigratedFile;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// This version crashes while an agent works. A version that knows no claims works with the file
/// for a while, and leaves the claim of the crash where it is. Then this version starts again.
@Tag("slow")
class RestartAfterRollbackTest {
  private static final String WORDS =
      "The service was restarted while the agent was working. Reply to continue.";

  @TempDir Path folder;
  private String run;

  @BeforeEach
  void crash() {
    try (var service = RunningService.withCommand(folder, "cat")) {
      run = service.create("first");
      service.awaitState(run, "SUCCEEDED");
    }
    change(
        """
        INSERT INTO claims (token, node, node_name, run_id, execution, claimed_at)
        VALUES ('of the crash', '', '', ?, 1, 1)
        """);
    change("UPDATE runs SET claim = 'of the crash', begun = 1 WHERE id = ?");
  }

  private void change(String sql) {
    try (var database = file()) {
      assertThat(database.<Integer>write(rows -> rows.change(sql, run))).isOne();
    }
  }

  private Database file() {
    return MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
  }

  @Test
  void aReplyContinuesARunThatTheOlderVersionEnded() {
    try (var service = RunningService.withCommand(folder, "cat")) {
      assertThat(service.state(run)).isEqualTo("SUCCEEDED");

      service.followUp(run, "second");

      assertThat(service.awaitState(run, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("second");
    }
  }

  @Test
  void aRunThatTheOlderVersionQueuedStarts() {
    change("UPDATE runs SET state = 'QUEUED', queued_at = updated_at WHERE id = ?");

    try (var service = RunningService.withCommand(folder, "echo third")) {
      assertThat(service.awaitState(run, "SUCCEEDED").at("/status_message/message").asText())
          .isEqualTo("third");
    }
  }

  @Test
  void agentLeftByTheOlderVersionIsEnded() throws Exception {
    var agent = new ProcessBuilder("sleep", "300").start();
    try {
      change(
          """
          UPDATE runs SET state = 'INPROGRESS', execution = 2, pid = %d, pid_started_at = %d
          WHERE id = ?
          """
              .formatted(
                  agent.pid(), agent.info().startInstant().orElseThrow().toEpochMilli() * 1000));

      try (var service = RunningService.withCommand(folder, "cat")) {
        assertThat(service.awaitState(run, "ERROR").at("/status_message/message").asText())
            .isEqualTo(WORDS);
        assertThat(agent.isAlive()).isFalse();
      }
    } finally {
      agent.destroyForcibly();
    }
  }
}
