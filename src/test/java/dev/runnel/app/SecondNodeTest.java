package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.runnel.app.server.RunnelServer;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Settings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.database.AdvisoryLock;
import dev.runnel.database.Database;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.Postgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two nodes on one PostgreSQL.
@Tag("slow")
class SecondNodeTest {
  @TempDir Path folder;

  @Test
  void severalNodesShareTheRuns() throws Exception {
    var url = Postgres.freshDatabase();
    try (var first = node("first", url, Map.of());
        var second = node("second", url, Map.of())) {
      assertThat(first.lines()).isNotEmpty();
      assertThat(second.lines()).isNotEmpty();
    }
  }

  @Test
  void nodeDoesNotStartBesideAnOlderVersionWithRunsInAFile() throws Exception {
    var url = Postgres.freshDatabase();
    // What an older version does when it starts.
    try (var _ = AdvisoryLock.take(url, "runnel embedded run service").orElseThrow()) {
      assertThatThrownBy(() -> node("second", url, Map.of()))
          .isInstanceOf(SettingsException.class)
          .hasMessageStartingWith("A Runnel of an older version uses this database")
          .hasMessageContaining("Stop it before this one starts");
    }
    try (var _ = node("second", url, Map.of())) {
      assertThat(AdvisoryLock.take(url, "runnel embedded run service")).isEmpty();
    }
  }

  @Test
  void runsOfAFileAreMovedToTheServerOnceAndContinueThere() throws Exception {
    var url = Postgres.freshDatabase();
    var data = Files.createDirectory(folder.resolve("first"));
    Files.copy(Path.of("src/test/resources/upgrade/agent-runs.db"), data.resolve("agent-runs.db"));
    try (var first = node("first", url, Map.of());
        var database = Database.postgres(url, ServiceTables.SCHEMA)) {
      assertThat(first.lines()).isNotEmpty();
      // Its agent died with the process that wrote the file, before it read the reply.
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> state(database, "a1a17f86-31ea-4678-9cc9-2f80cf0a7f66").equals("SUCCEEDED"));
      assertThat(state(database, "d8f98d58-9fab-447c-8afc-41c3d95a08e1")).isEqualTo("SUCCEEDED");
    }
    assertThat(data.resolve("agent-runs.db")).doesNotExist();
    assertThat(data.resolve("agent-runs.db.moved")).exists();
    // A crash before the file was renamed: it is not copied twice.
    Files.copy(data.resolve("agent-runs.db.moved"), data.resolve("agent-runs.db"));
    Files.delete(data.resolve("agent-runs.db.moved"));
    node("first", url, Map.of()).close();
    assertThat(data.resolve("agent-runs.db.moved")).exists();
  }

  private static String state(Database database, String run) {
    return database
        .<Optional<String>>read(
            rows -> rows.first("SELECT state FROM runs WHERE id = ?", row -> row.getString(1), run))
        .orElse("");
  }

  @Test
  void severalNodesShareAnOutsideService() throws Exception {
    var url = Postgres.freshDatabase();
    var outside =
        Map.of(
            "RUNNEL_AGENT_API_URL", "http://127.0.0.1:9/api/v1",
            "RUNNEL_AGENT_API_KEY", "wk-0123456789abcdef");
    try (var first = node("first", url, outside);
        var second = node("second", url, outside)) {
      assertThat(first.lines()).isNotEmpty();
      assertThat(second.lines()).isNotEmpty();
    }
  }

  @Test
  void crashedNodeReleasesItsLockAndNoticesATakeover() throws Exception {
    var url = Postgres.freshDatabase();
    try (var first = AdvisoryLock.take(url, "service").orElseThrow()) {
      assertThat(AdvisoryLock.take(url, "service")).isEmpty();
      // What the server does when the process at the other end is gone.
      breakOff(url);
      try (var second = AdvisoryLock.take(url, "service").orElseThrow()) {
        await().atMost(Duration.ofSeconds(60)).until(first::isLost);
        assertThat(second.isLost()).isFalse();
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> !first.isLost());
    }
  }

  @Test
  void schemasOfOneDatabaseHaveSeparateLocks() throws Exception {
    var url = Postgres.freshDatabase();
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA other");
    }
    try (var here = AdvisoryLock.take(url, "service").orElseThrow();
        var there = AdvisoryLock.take(url + "&currentSchema=other", "service").orElseThrow()) {
      assertThat(here.isLost() || there.isLost()).isFalse();
    }
  }

  private static void breakOff(String url) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database"
              + " = (SELECT oid FROM pg_database WHERE datname = current_database())");
    }
  }

  private RunnelServer node(String name, String url, Map<String, String> more) {
    var environment = new HashMap<>(more);
    environment.put("PATH", System.getenv("PATH"));
    environment.put("PORT", "0");
    environment.put("RUNNEL_AGENT_COMMAND", "cat");
    environment.put("RUNNEL_AGENTS_ISOLATION", "none");
    environment.put("RUNNEL_AGENTS_USER", AgentUsers.own());
    environment.put("RUNNEL_DATA", folder.resolve(name).toString());
    environment.put("RUNNEL_DATABASE_URL", url);
    var settings = Settings.read(environment, Optional.empty(), Map.of());
    return RunnelServer.start(Config.of(settings), environment, InstantSource.system());
  }
}
