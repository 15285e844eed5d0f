package dev.runnel.app.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.Settings;
import dev.runnel.database.Database;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.MigratedFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForgetCommandTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-06-01T00:00:00Z"));

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /// A run, and one that its agent started.
  @BeforeEach
  void live() {
    MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA).close();
    try (var service =
        MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE)) {
      add(service, "run-1", null);
      add(service, "run-1-child", "run-1");
      add(service, "other", null);
    }
  }

  private static void add(Database service, String id, @Nullable String parent) {
    int _ =
        service.write(
            rows ->
                rows.change(
                    "INSERT INTO runs (id, state, title, prompt, source, created_at, updated_at,"
                        + " queued_at, finished_at, parent_run_id) VALUES (?, 'SUCCEEDED', 'title',"
                        + " 'paint the quokka', 'API', 1, 1, 1, 1, ?)",
                    id,
                    parent));
  }

  private List<String> runs() {
    try (var service = Database.sqlite(folder.resolve("agent-runs.db"))) {
      return service.read(
          rows -> rows.list("SELECT id FROM runs ORDER BY id", row -> row.getString(1)));
    }
  }

  private Config config() {
    return Config.of(
        Settings.read(Map.of(), Optional.empty(), Map.of(RunnelSettings.DATA, folder.toString())));
  }

  private int forget(String run, ForgetCommand.Folders folders) {
    out.reset();
    err.reset();
    return new ForgetCommand(config(), CLOCK, folders, new PrintStream(out), new PrintStream(err))
        .run("run", run);
  }

  @Test
  void forgetDeletesTheSharedSnapshotsOfTheRunToo() throws IOException {
    var shared = Files.createDirectory(folder.resolve("shared"));
    for (var run : List.of("run-1", "run-1-child", "other")) {
      Files.writeString(shared.resolve(run + ".tar.gz"), "x");
    }
    var config =
        Config.of(
            Settings.read(
                Map.of("RUNNEL_AGENT_SNAPSHOTS", shared.toString()),
                Optional.empty(),
                Map.of(RunnelSettings.DATA, folder.toString())));

    var code =
        new ForgetCommand(config, CLOCK, new PrintStream(out), new PrintStream(err))
            .run("run", "run-1");

    assertThat(code).as(said()).isZero();
    assertThat(shared).isDirectoryContaining("glob:**other.tar.gz");
    assertThat(shared).isDirectoryNotContaining("glob:**run-1*");
  }

  @Test
  void forgetDeletesTheSharedCachesThatTheRunCouldWrite() throws IOException {
    try (var service = Database.sqlite(folder.resolve("agent-runs.db"))) {
      int _ =
          service.write(
              rows -> rows.change("UPDATE runs SET environment_id = 'shop' WHERE id = 'run-1'"));
    }
    for (var environment : List.of("shop", "none", "billing")) {
      var cache = Files.createDirectories(folder.resolve("caches").resolve(environment));
      Files.writeString(cache.resolve("notes"), "paint the quokka");
    }

    assertThat(forget("run-1", _ -> {})).as(said()).isZero();

    assertThat(folder.resolve("caches")).isDirectoryContaining("glob:**billing");
    assertThat(folder.resolve("caches").toFile().list()).containsExactly("billing");
    assertThat(said())
        .contains(
            "download caches that their environments share (none, shop). These caches were"
                + " deleted.");
  }

  @Test
  void runningServerIsAskedToDeleteTheSharedCaches() throws IOException {
    var cache = Files.createDirectories(folder.resolve("caches/none"));
    try (var _ = DataFolder.open(folder)) {
      assertThat(forget("run-1", _ -> {})).as(said()).isZero();
    }

    assertThat(cache).exists();
    assertThat(folder.resolve("caches/.forget-none")).exists();
    assertThat(said()).contains("The server deletes these caches as soon as no agent uses them.");
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aRunWhoseFoldersCannotBeDeletedStaysAndTheCommandCanBeRepeated() {
    assertThat(
            forget(
                "run-1",
                run -> {
                  if (run.equals("run-1")) {
                    throw new IOException("the disk is away");
                  }
                }))
        .isOne();

    assertThat(said()).contains("Not every file was removed: the disk is away. Repeat");
    assertThat(runs()).containsExactly("other", "run-1");

    var deleted = new ArrayList<String>();
    assertThat(forget("run-1", deleted::add)).as("%s", err).isZero();
    assertThat(runs()).containsExactly("other");
    assertThat(deleted).containsExactly("run-1");
  }

  @Test
  void childRunsAreForgottenFirst() {
    var deleted = new ArrayList<String>();

    assertThat(forget("run-1", deleted::add)).isZero();

    assertThat(deleted).containsExactly("run-1-child", "run-1");
    assertThat(said()).contains("ok: the run run-1 is forgotten, and 1 that it had started");
  }

  @Test
  void forgetNamesTheOldRunsFile() throws IOException {
    var moved = Files.createFile(folder.resolve("agent-runs.db.moved"));

    assertThat(forget("run-1", _ -> {})).isZero();

    assertThat(said()).contains(moved + " has the runs from before they were moved to PostgreSQL");
  }

  @Test
  @Tag("slow")
  void forgetFailsWhileTheTextMayStillBeInTheDatabaseFile() throws Exception {
    var file = folder.resolve("agent-runs.db");
    try (var reader = DriverManager.getConnection("jdbc:sqlite:" + file);
        var statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.executeQuery("SELECT * FROM runs").next();

      assertThat(forget("run-1", _ -> {})).isOne();

      assertThat(said())
          .contains("may still be in the database file", "agent-runs.db", "Repeat the command")
          .doesNotContain("ok:");
      reader.rollback();
    }

    assertThat(forget("run-1", _ -> {})).isOne();
    assertThat(said()).contains("There is no run run-1");
    try (var files = Files.list(folder)) {
      assertThat(files.filter(each -> each.getFileName().toString().startsWith("agent-runs.db")))
          .allSatisfy(
              each ->
                  assertThat(Files.readString(each, StandardCharsets.ISO_8859_1))
                      .doesNotContain("run-1"));
    }
  }
}
