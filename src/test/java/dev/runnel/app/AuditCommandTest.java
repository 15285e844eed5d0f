package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.MigratedFile;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditCommandTest {
  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int audit(String... words) {
    out.reset();
    err.reset();
    var all = new ArrayList<>(List.of("audit"));
    all.addAll(List.of(words));
    all.addAll(List.of("--data", folder.toString()));
    return new Main(new PrintStream(out), new PrintStream(err), Map.of()).run(all);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private Database database() {
    return MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA);
  }

  private void addTwo() {
    try (var database = database()) {
      var log = new AuditLog(database);
      var now = Instant.now();
      log.add(entry(now.minus(Duration.ofDays(9)), "old"));
      log.add(entry(now, "new"));
    }
  }

  private static AuditEntry entry(Instant at, String details) {
    return AuditEntry.of(at, AuditEntry.Person.RUNNEL, AuditEntry.Verb.SETTINGS, details);
  }

  @Test
  void exportPrintsOneLineForEachEntry() {
    addTwo();

    assertThat(audit("export")).isZero();
    assertThat(printed().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"seq\":"));
    assertThat(audit("export", "--since", "7d")).isZero();
    assertThat(printed().lines()).hasSize(1).first().asString().contains("new");
    assertThat(audit("export", "--until", "7d")).isZero();
    assertThat(printed().lines()).hasSize(1).first().asString().contains("old");
    assertThat(audit("export", "--since", "2999-01-01")).isZero();
    assertThat(printed()).isEmpty();
  }

  @Test
  void invalidTimeIsAUsageError() {
    addTwo();

    assertThat(audit("export", "--since", "yesterday")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("yesterday is neither a date");
  }

  @Test
  void verifyExitsWithOneIfAnEntryWasChanged() {
    addTwo();
    assertThat(audit("verify")).isZero();
    assertThat(printed()).isEqualTo("ok: 2 entries\n");

    try (var database = database()) {
      int _ =
          database.write(
              rows -> rows.change("UPDATE audit SET personal = replace(personal, 'old', 'odd')"));
    }

    assertThat(audit("verify")).isOne();
    assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("Entry 1 of ");
  }

  @Test
  void auditCommandReportsAMissingDatabase() {
    assertThat(audit("verify")).isOne();
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("There is no Runnel in");
  }
}
