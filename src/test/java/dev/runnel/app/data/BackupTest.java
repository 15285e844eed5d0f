package dev.runnel.app.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.Main;
import dev.runnel.database.Database;
import dev.runnel.service.workspace.Folders;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.RunnelProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Timeout(180)
class BackupTest {
  private static final String SECRET = "a-secret-of-the-hook";
  private static final String HOOKS =
      """
      hooks:
        load:
          proof: {kind: bearer, secret: a-secret-of-the-hook}
          template: "Do {/n}"
          delivery: /n
      """;

  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int runnel(String... words) {
    out.reset();
    err.reset();
    return new Main(new PrintStream(out), new PrintStream(err), Map.of()).run(List.of(words));
  }

  private String said() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private static int post(RunnelProcess runnel, int n) throws Exception {
    return runnel
        .send(
            HttpRequest.newBuilder(URI.create(runnel.url() + "/webhooks/hooks/load"))
                .header("Authorization", "Bearer " + SECRET)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"n\":\"load-%d\"}".formatted(n))))
        .statusCode();
  }

  @Test
  void deliveryAcknowledgedBeforeTheBackupIsRestoredAndDoneOnce() throws Exception {
    Files.writeString(folder.resolve("runnel.yaml"), HOOKS);
    var backup = folder.resolve("backup");
    var acknowledged = ConcurrentHashMap.<Integer>newKeySet();
    Set<Integer> before;
    try (var runnel =
            RunnelProcess.start(
                folder,
                RunnelProcess.freePort(),
                Map.of("RUNNEL_AGENT_COMMAND", "echo done", "RUNNEL_AGENT_SLOTS", "2"));
        var senders = Executors.newVirtualThreadPerTaskExecutor()) {
      var isOver = new AtomicBoolean();
      var count = new AtomicInteger();
      for (int sender = 0; sender < 4; sender++) {
        var _ =
            senders.submit(
                () -> {
                  while (!isOver.get() && count.get() < 400) {
                    var n = count.incrementAndGet();
                    if (post(runnel, n) < 300) {
                      acknowledged.add(n);
                    }
                  }
                  return true;
                });
      }
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> acknowledged.size() >= 40);
      before = Set.copyOf(acknowledged);
      assertThat(runnel("backup", backup.toString(), "--data", runnel.data().toString()))
          .as("%s", err)
          .isZero();
      isOver.set(true);
    }
    var restored = Files.createDirectories(folder.resolve("elsewhere")).resolve("data");
    assertThat(runnel("restore", backup.toString(), "--data", restored.toString()))
        .as("%s", err)
        .isZero();

    assertThat(before.stream().filter(n -> !isThere(restored, n))).isEmpty();
    assertThat(boundRuns(restored)).isSubsetOf(runs(restored));

    Files.writeString(folder.resolve("elsewhere/runnel.yaml"), HOOKS);
    try (var runnel =
        RunnelProcess.start(
            folder.resolve("elsewhere"),
            RunnelProcess.freePort(),
            Map.of("RUNNEL_AGENT_COMMAND", "echo done"))) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> runnel.metric("runnel_inbox_waiting") == 0);
    }
    assertThat(startsByDelivery(restored)).allMatch(starts -> starts == 1);
  }

  private static List<String> texts(Path file, String sql) {
    try (var database = Database.sqlite(file)) {
      return database.read(rows -> rows.list(sql, row -> row.getString(1)));
    }
  }

  private static List<String> deliveries(Path data) {
    return texts(data.resolve("runnel.db"), "SELECT id FROM inbox");
  }

  private static boolean isThere(Path data, int n) {
    return deliveries(data).stream().anyMatch(id -> id.endsWith("load-" + n));
  }

  private static List<String> boundRuns(Path data) {
    return texts(data.resolve("runnel.db"), "SELECT run FROM bindings");
  }

  private static List<String> runs(Path data) {
    return texts(data.resolve("agent-runs.db"), "SELECT id FROM runs");
  }

  private static List<Integer> startsByDelivery(Path data) {
    return texts(
            data.resolve("agent-runs.db"),
            "SELECT count(*) FROM run_metadata WHERE name = 'runnel.delivery' GROUP BY value")
        .stream()
        .map(Integer::valueOf)
        .toList();
  }

  /// A data folder with a database and many files, and its backup.
  private Path backedUp(int files) throws IOException {
    var data = folder.resolve("data");
    Database.sqlite(data.resolve("runnel.db")).migrate(SqlStore.SCHEMA).close();
    Files.writeString(data.resolve("agent-api-key"), "wk-key\n");
    var workspace = Files.createDirectories(folder.resolve("data/workspaces/run-1/src"));
    for (int i = 0; i < files; i++) {
      Files.writeString(workspace.resolve("file-" + i), "content " + i);
    }
    var script = Files.writeString(workspace.resolve("script.sh"), "#!/bin/sh\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createSymbolicLink(workspace.resolve("link"), Path.of("file-0"));
    var backup = folder.resolve("backup");
    assertThat(runnel("backup", backup.toString(), "--data", data.toString()))
        .as("%s", err)
        .isZero();
    return backup;
  }

  @Test
  void filesLinksAndPermissionsAreRestored() throws Exception {
    var backup = backedUp(3);
    var restored = folder.resolve("restored");

    assertThat(runnel("restore", backup.toString(), "--data", restored.toString())).isZero();

    var workspace = restored.resolve("workspaces/run-1/src");
    assertThat(workspace.resolve("file-2")).hasContent("content 2");
    assertThat(workspace.resolve("script.sh")).isExecutable();
    assertThat(Files.readSymbolicLink(workspace.resolve("link"))).hasToString("file-0");
    assertThat(restored.resolve("agent-api-key")).hasContent("wk-key\n");
    try (var all = Files.walk(restored)) {
      assertThat(all.filter(each -> !Files.isSymbolicLink(each)))
          .allSatisfy(
              each ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                      .as("%s", each)
                      .endsWith("------"));
    }
  }

  /// On PostgreSQL, the rows of runs name the place of their workspaces.
  @Test
  void restoredFolderKeepsItsPlaceIdButGetsANewNodeId() throws Exception {
    String node;
    String place;
    try (var data = DataFolder.open(folder.resolve("data"))) {
      node = data.node();
      place = data.place();
    }
    assertThat(runnel("restore", backedUp(1).toString(), "--data", folder + "/restored")).isZero();

    try (var restored = DataFolder.open(folder.resolve("restored"))) {
      assertThat(restored.place()).isEqualTo(place);
      assertThat(restored.node()).isNotEqualTo(node);
    }
  }

  @Test
  void copiedFolderGetsANewPlaceId() throws Exception {
    String place;
    try (var data = DataFolder.open(folder.resolve("data"))) {
      place = data.place();
    }
    Files.createDirectory(folder.resolve("copy"));
    Files.copy(folder.resolve("data/node"), folder.resolve("copy/node"));
    Files.copy(folder.resolve("data/place"), folder.resolve("copy/place"));

    try (var copy = DataFolder.open(folder.resolve("copy"))) {
      assertThat(copy.place()).isNotEqualTo(place).isEqualTo(copy.node());
    }
  }

  @Test
  void backupIsNotWrittenOverFilesOrIntoTheDataFolder() throws Exception {
    var backup = backedUp(1);
    var data = folder.resolve("data").toString();

    assertThat(runnel("backup", backup.toString(), "--data", data)).isOne();
    assertThat(said()).contains("is not empty");
    assertThat(runnel("backup", data + "/backup", "--data", data)).isOne();
    assertThat(runnel("backup", folder.resolve("b").toString(), "--data", data + "-none")).isOne();
  }

  @Test
  void restoreRefusesADamagedBackupAndANonEmptyFolder() throws Exception {
    var backup = backedUp(2);
    var data = folder.resolve("data").toString();
    assertThat(runnel("restore", backup.toString(), "--data", data)).isOne();
    assertThat(said()).contains("is not empty");

    try (var _ = DataFolder.open(folder.resolve("data"))) {
      assertThat(runnel("restore", backup.toString(), "--data", data)).isOne();
      assertThat(said()).contains("A Runnel is running on");
    }

    Files.writeString(backup.resolve("workspaces/run-1/src/file-1"), "content 2");
    var other = folder.resolve("other");
    assertThat(runnel("restore", backup.toString(), "--data", other.toString())).isOne();
    assertThat(said()).contains("workspaces/run-1/src/file-1 was changed or is damaged");
    assertThat(other).doesNotExist();
    assertThat(runnel("restore", data, "--data", other.toString())).isOne();
    assertThat(said()).contains("is not a backup");
  }

  @Test
  void aFolderThatIsALinkIsBackedUpAndNamed() throws Exception {
    var data = folder.resolve("data");
    Database.sqlite(data.resolve("runnel.db")).migrate(SqlStore.SCHEMA).close();
    var disk = Files.createDirectories(folder.resolve("disk/run-1"));
    Files.writeString(disk.resolve("note"), "on another disk");
    Files.createSymbolicLink(data.resolve("workspaces"), folder.resolve("disk"));
    var backup = folder.resolve("backup");

    assertThat(runnel("backup", backup.toString(), "--data", data.toString()))
        .as("%s", err)
        .isZero();

    assertThat(said())
        .contains(data.resolve("workspaces") + " is a link to " + folder.resolve("disk"));
    var restored = folder.resolve("restored");
    assertThat(runnel("restore", backup.toString(), "--data", restored.toString())).isZero();
    assertThat(restored.resolve("workspaces/run-1/note")).hasContent("on another disk");

    Files.move(folder.resolve("disk"), folder.resolve("unplugged"));
    var second = folder.resolve("second");
    assertThat(runnel("backup", second.toString(), "--data", data.toString())).isOne();
    assertThat(said())
        .contains(data.resolve("workspaces") + " is a link to something that is not there");
    assertThat(second).doesNotExist();
  }

  @Test
  void unreadableFileIsNamedAndTheRestIsCopied() throws Exception {
    var from = Files.createDirectories(folder.resolve("workspaces"));
    Files.writeString(from.resolve("closed"), "closed");
    Files.writeString(from.resolve("open"), "open");
    var to = Files.createDirectories(folder.resolve("copy"));
    var tree =
        new FolderTree(
            to,
            file -> {
              if (file.endsWith("closed")) {
                throw new AccessDeniedException(file.toString());
              }
              return Files.newInputStream(file);
            });

    tree.copy(from, to.resolve("workspaces"));

    assertThat(tree.notes)
        .containsExactly(from.resolve("closed") + " cannot be read, and is not in the backup.");
    assertThat(tree.files).containsOnlyKeys("workspaces/open");
    assertThat(to.resolve("workspaces/closed")).doesNotExist();
  }

  /// Changes the manifest of a backup, as somebody could who made it.
  private static void forge(Path backup, UnaryOperator<BackupManifest> change) throws IOException {
    var manifest = BackupManifest.read(backup).orElseThrow();
    Files.write(backup.resolve(BackupManifest.FILE), change.apply(manifest).bytes());
  }

  private static BackupManifest withLinks(BackupManifest manifest, Map<String, String> links) {
    return new BackupManifest(
        manifest.format(),
        manifest.version(),
        manifest.createdAt(),
        manifest.schemas(),
        manifest.files(),
        links,
        manifest.folders(),
        manifest.executables());
  }

  @Test
  void linksThatLeadOutsideAreNotRestoredAndNamed() throws Exception {
    var backup = backedUp(1);
    forge(
        backup,
        manifest ->
            withLinks(
                manifest,
                Map.of(
                    "workspaces/run-1/in", "src/file-0",
                    "workspaces/run-1/absolute", "/etc/passwd",
                    "workspaces/run-1/up", "../../../etc",
                    "workspaces/run-1/a-root", "../..",
                    "workspaces/run-1/by-another", "a-root/../etc",
                    "workspaces/run-1/loop", "loop")));
    var restored = folder.resolve("restored");

    assertThat(runnel("restore", backup.toString(), "--data", restored.toString()))
        .as("%s", err)
        .isZero();

    try (var entries = Files.list(restored.resolve("workspaces/run-1"))) {
      assertThat(entries.map(each -> each.getFileName().toString()))
          .containsExactlyInAnyOrder("src", "in", "a-root");
    }
    assertThat(said())
        .contains("absolute, to /etc/passwd", "up, to", "by-another, to", "loop, to")
        .doesNotContain("run-1/in,");
  }

  @ParameterizedTest
  @ValueSource(strings = {"workspaces/z/", "workspaces//z", "z/", "./z", "workspaces/./z", "z//"})
  void nameThatIsNotPlainIsRefused(String name) throws Exception {
    var backup = backedUp(1);
    forge(backup, manifest -> withLinks(manifest, Map.of(name, "/etc")));

    assertThat(
            runnel("restore", backup.toString(), "--data", folder.resolve("restored").toString()))
        .isOne();

    assertThat(said()).contains("The backup is not intact: " + name, "Nothing was restored");
    assertThat(folder.resolve("restored")).doesNotExist();
  }

  @Test
  void linkWhoseNameHasABackslashIsNotRestoredIfItLeadsOutside() throws Exception {
    var backup = backedUp(1);
    forge(backup, manifest -> withLinks(manifest, Map.of("workspaces/a\\b", "/etc")));
    var restored = folder.resolve("restored");

    assertThat(runnel("restore", backup.toString(), "--data", restored.toString())).isZero();

    assertThat(said()).contains("a\\b, to /etc");
    assertThat(restored.resolve("workspaces/a\\b")).doesNotExist();
  }

  @Test
  void fileWhoseNameHasABackslashIsBackedUpAndRestored() throws Exception {
    Files.writeString(
        Files.createDirectories(folder.resolve("data/workspaces/run-1/src")).resolve("a\\b"), "x");
    var backup = backedUp(1);
    var restored = folder.resolve("restored");

    assertThat(runnel("restore", backup.toString(), "--data", restored.toString()))
        .as("%s", err)
        .isZero();

    assertThat(restored.resolve("workspaces/run-1/src/a\\b")).hasContent("x");
  }

  @Test
  void nothingIsWrittenThroughALink() throws Exception {
    var backup = backedUp(1);
    var outside = Files.createDirectories(folder.resolve("outside"));
    forge(
        backup,
        manifest ->
            withLinks(
                manifest,
                Map.of("workspaces/x", outside.toString(), "workspaces/x/planted", "../file")));

    assertThat(
            runnel("restore", backup.toString(), "--data", folder.resolve("restored").toString()))
        .isOne();

    assertThat(said()).contains("workspaces/x/planted is below a link", "Nothing was restored");
    assertThat(outside).isEmptyDirectory();
    assertThat(folder.resolve("restored")).doesNotExist();
  }

  @Test
  void aFileOfTheBackupIsNotReadThroughALink() throws Exception {
    var backup = backedUp(1);
    var key = backup.resolve("agent-api-key");
    Files.move(key, folder.resolve("elsewhere"));
    Files.createSymbolicLink(key, folder.resolve("elsewhere"));

    assertThat(
            runnel("restore", backup.toString(), "--data", folder.resolve("restored").toString()))
        .isOne();
    assertThat(said()).contains("agent-api-key is missing");
  }

  @Test
  void aFileOfTheBackupIsNotReadThroughAFolderThatIsALink() throws Exception {
    var backup = backedUp(1);
    var workspace = backup.resolve("workspaces/run-1");
    Files.move(workspace, folder.resolve("elsewhere"));
    Files.createSymbolicLink(workspace, folder.resolve("elsewhere"));

    assertThat(
            runnel("restore", backup.toString(), "--data", folder.resolve("restored").toString()))
        .isOne();
    assertThat(said()).contains("points outside the backup", "Nothing was restored");
  }

  @Test
  void aBackupOfANewerVersionIsRefused() throws Exception {
    var backup = backedUp(1);
    forge(
        backup,
        manifest ->
            new BackupManifest(
                manifest.format(),
                "9.9",
                manifest.createdAt(),
                Map.of("runnel.db", "999"),
                manifest.files(),
                manifest.links(),
                manifest.folders(),
                manifest.executables()));

    assertThat(
            runnel("restore", backup.toString(), "--data", folder.resolve("restored").toString()))
        .isOne();
    assertThat(said()).contains("runnel.db in this backup was written by a newer Runnel (9.9)");
    assertThat(folder.resolve("restored")).doesNotExist();
  }

  @Test
  void aKilledRestoreLeavesNothingAndCanBeRepeated() throws Exception {
    var backup = backedUp(2_000);
    var restored = folder.resolve("restored");
    var parts = folder.resolve(".restored.restoring");
    var manifest = BackupManifest.read(backup).orElseThrow();
    for (int files = 1; files < 2_000; files += 700) {
      var file = "workspaces/run-1/src/file-" + files;
      var process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "dev.runnel.app.Main",
                  "restore",
                  backup.toString(),
                  "--data",
                  restored.toString())
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("restore.log").toFile())
              .start();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(1))
          .until(
              () ->
                  Files.exists(parts.resolve(file))
                      || Files.exists(restored.resolve(file))
                      || !process.isAlive());
      process.destroyForcibly().waitFor();
      if (Files.exists(restored)) {
        // It was faster, so all is there.
        assertThat(manifest.problem(restored)).isEmpty();
        assertThat(parts).doesNotExist();
        Folders.delete(restored);
      }
    }
    // The restore of another backup may have been killed, too.
    Files.writeString(Files.createDirectories(parts).resolve("of-another-backup"), "x");

    assertThat(runnel("restore", backup.toString(), "--data", restored.toString()))
        .as("%s", err)
        .isZero();
    assertThat(parts).doesNotExist();
    assertThat(manifest.problem(restored)).isEmpty();
    assertThat(restored.resolve("of-another-backup")).doesNotExist();
    var left = new ArrayList<String>();
    try (var entries = Files.list(folder)) {
      entries.forEach(each -> left.add(each.getFileName().toString()));
    }
    assertThat(left).containsExactlyInAnyOrder("backup", "data", "restored", "restore.log");
  }
}
