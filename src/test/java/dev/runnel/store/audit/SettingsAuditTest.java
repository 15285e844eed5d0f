package dev.runnel.store.audit;

import static dev.runnel.testkit.Samples.NINE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.port.AuditReader;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.MigratedFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsAuditTest {
  @TempDir Path folder;
  private Database database;

  @BeforeEach
  void open() {
    database = MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void starts(Map<String, String> values) {
    new SettingsAudit(database).store(values, AuditEntry.Person.RUNNEL, NINE);
  }

  private List<String> lines() {
    return new AuditLog(database)
        .newest(AuditReader.Filter.ALL, Long.MAX_VALUE, 10).stream()
            .map(AuditReader.Line::json)
            .toList();
  }

  @Test
  void theNamesOfChangedSettingsAreAuditedAndNoValues() {
    starts(Map.of("port", "8080", "console.token", "a-very-secret-token", "admins", "dana"));
    starts(Map.of("port", "8081", "admins", "dana", "mention", "bot"));

    assertThat(lines()).hasSize(2);
    assertThat(lines().getFirst()).contains("changed: console.token, mention, port");
    assertThat(lines().toString()).doesNotContain("a-very-secret-token");
  }

  @Test
  void unchangedSettingsAreNotAudited() {
    starts(Map.of("port", "8080"));
    starts(Map.of("port", "8080"));

    assertThat(lines()).hasSize(1);
  }

  @Test
  void equalValuesHaveDifferentHashesInTwoDatabases() {
    starts(Map.of("port", "8080"));

    try (var other = MigratedFile.open(folder.resolve("other.db"), SqlStore.SCHEMA)) {
      new SettingsAudit(other).store(Map.of("port", "8080"), AuditEntry.Person.RUNNEL, NINE);
      assertThat(hashes(other)).doesNotContainAnyElementsOf(hashes(database));
    }
  }

  private static List<String> hashes(Database database) {
    return database.read(
        rows -> rows.list("SELECT hash FROM settings_seen", row -> row.getString(1)));
  }
}
