package dev.runnel.app;

import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.run.RunState;
import dev.runnel.database.Database;
import dev.runnel.store.Erasure;
import dev.runnel.store.SqlStore;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.World;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The commands that work on the bot's database, where it is on PostgreSQL.
@Tag("slow")
@Timeout(180)
class PostgresCommandsTest {
  private static final Actor ERIN = new Actor("UERIN7", "erin-the-forgotten");
  private static final Actor FRED = new Actor("UFRED8", "fred-who-stays");

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private String url;
  private String ofErin;
  private String ofFred;

  /// Erin asks for a run, which ends, and speaks to Fred's.
  @BeforeEach
  void live() throws Exception {
    url = Postgres.freshDatabase();
    try (var world = new World(Database.postgres(url).migrate(SqlStore.SCHEMA))) {
      world.says(delivery("1", start("paint the quokka")).withActor(ERIN));
      world.settle();
      ofErin = world.onlyRun().id().value();
      world.says(
          delivery("2", start("feed the wombat")).withActor(FRED).withConversation(OTHER_THREAD));
      world.settle();
      world.says(
          delivery("3", say("and the quokka, too")).withActor(ERIN).withConversation(OTHER_THREAD));
      world.settle();
      world.runs.runs().forEach(run -> world.runs.moves(run.id(), RunState.SUCCEEDED, "Done."));
      world.passes(Duration.ofSeconds(5));
      ofFred =
          world.runs.runs().stream()
              .map(run -> run.id().value())
              .filter(id -> !id.equals(ofErin))
              .findFirst()
              .orElseThrow();
    }
    Files.createDirectories(folder.resolve("data/workspaces"));
    Files.writeString(folder.resolve("data/agent-api-key"), "wk-key\n");
  }

  private int runnel(String... words) {
    out.reset();
    err.reset();
    return new Main(new PrintStream(out), new PrintStream(err), Map.of("RUNNEL_DATABASE_URL", url))
        .run(List.of(words));
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  /// Every row of every table, as text.
  private String everything() {
    try (var database = Database.postgres(url)) {
      var all = new ArrayList<String>();
      List<String> tables =
          database.read(
              rows ->
                  rows.list(
                      "SELECT table_name FROM information_schema.tables WHERE table_schema ="
                          + " 'public'",
                      row -> row.getString(1)));
      for (var table : tables) {
        all.addAll(
            database.<List<String>>read(
                rows ->
                    rows.list(
                        "SELECT CAST(t AS TEXT) FROM %s t".formatted(table),
                        row -> row.getString(1))));
      }
      return String.join("\n", all);
    }
  }

  @Test
  void forgetRemovesARunOrPersonAndExplainsWhatPostgresKeeps() {
    assertThat(everything()).contains("quokka", ofErin, "UERIN7");

    assertThat(runnel("forget", "run", ofFred, "--data", data())).as(said()).isZero();
    assertThat(said()).contains("VACUUM FULL");
    assertThat(everything()).doesNotContain(ofFred, "wombat").contains("paint the quokka");

    assertThat(runnel("forget", "person", "fake:UERIN7", "--data", data())).as(said()).isZero();
    assertThat(everything()).doesNotContain("quokka", ofErin, "UERIN7", "erin-the-forgotten");
    assertThat(runnel("audit", "verify", "--data", data())).as(said()).isZero();
  }

  @Test
  void oldRunsAreRemovedAndTheirStartsLater() {
    try (var database = Database.postgres(url)) {
      var erasure = new Erasure(database);
      var later = Instant.parse("2027-01-01T00:00:00Z");

      assertThat(erasure.forgetRunsBefore(later, later)).isEqualTo(2);
      assertThat(erasure.forgetStartsBefore(later)).isZero();
      assertThat(new AuditLog(database).verify().problem()).isEmpty();
    }
    assertThat(everything()).doesNotContain("wombat", "paint the quokka");
  }

  @Test
  void restoreRequiresAndPreparesTheRestoredDatabase() throws Exception {
    try (var database = Database.postgres(url)) {
      int _ =
          database.write(
              rows ->
                  rows.change("UPDATE inbox SET state = 0, tries = 0")
                      + rows.change(
                          "INSERT INTO console_sessions (hash, expires_at) VALUES ('h', 1)"));
    }
    var backup = folder.resolve("backup").toString();
    assertThat(runnel("backup", backup, "--data", data())).as(said()).isZero();
    assertThat(said()).contains("pg_dump first");
    var full = url;

    url = Postgres.freshDatabase();
    var restored = folder.resolve("restored").toString();
    assertThat(runnel("restore", backup, "--data", restored)).isOne();
    assertThat(said()).contains("is empty. Restore it with pg_restore first");
    assertThat(Path.of(restored)).doesNotExist();

    url = full;
    assertThat(runnel("restore", backup, "--data", restored)).as(said()).isZero();
    try (var database = Database.postgres(url)) {
      List<Integer> untried =
          database.read(
              rows ->
                  rows.list(
                      "SELECT 1 FROM inbox WHERE state = 0 AND tries = 0 UNION ALL SELECT 1 FROM"
                          + " console_sessions",
                      row -> row.getInt(1)));
      assertThat(untried).isEmpty();
    }
  }
}
