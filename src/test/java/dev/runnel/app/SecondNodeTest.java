package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Settings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.database.ExclusiveUse;
import dev.runnel.testkit.Postgres;
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
  void aSecondNodeWithTheEmbeddedServiceDoesNotStartUntilTheFirstHasStopped() throws Exception {
    var url = Postgres.freshDatabase();
    try (var _ = node("first", url, Map.of())) {
      assertThatThrownBy(() -> node("second", url, Map.of()))
          .isInstanceOf(SettingsException.class)
          .hasMessageStartingWith("Another Runnel with the embedded Agent Run Service works on")
          .hasMessageContaining("Stop the other one before this one starts")
          .hasMessageContaining("RUNNEL_AGENT_API_URL");
    }
    node("second", url, Map.of()).close();
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
  void aNodeThatCrashedHoldsUpNobodyAndNoticesWhenAnotherHasTakenOver() throws Exception {
    var url = Postgres.freshDatabase();
    try (var first = ExclusiveUse.take(url, "service").orElseThrow()) {
      assertThat(ExclusiveUse.take(url, "service")).isEmpty();
      // What the server does when the process at the other end is gone.
      breakOff(url);
      try (var second = ExclusiveUse.take(url, "service").orElseThrow()) {
        await().atMost(Duration.ofSeconds(30)).until(first::isLost);
        assertThat(second.isLost()).isFalse();
      }
      await().atMost(Duration.ofSeconds(30)).until(() -> !first.isLost());
    }
  }

  @Test
  void schemasOfOneDatabaseAreUsedApart() throws Exception {
    var url = Postgres.freshDatabase();
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA other");
    }
    try (var here = ExclusiveUse.take(url, "service").orElseThrow();
        var there = ExclusiveUse.take(url + "&currentSchema=other", "service").orElseThrow()) {
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

  private Wiring node(String name, String url, Map<String, String> more) {
    var environment = new HashMap<>(more);
    environment.put("PATH", System.getenv("PATH"));
    environment.put("PORT", "0");
    environment.put("RUNNEL_DATA", folder.resolve(name).toString());
    environment.put("RUNNEL_DATABASE_URL", url);
    var settings = Settings.read(environment, Optional.empty(), Map.of());
    return Wiring.start(Config.of(settings), environment, InstantSource.system());
  }
}
