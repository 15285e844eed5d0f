package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.database.Database;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.store.ServiceTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two nodes that share the runs, with real processes.
@Tag("slow")
@OnPostgres
class NodesAtWorkTest {
  @TempDir Path folder;
  private Path here;
  private Path there;
  private String url;

  @BeforeEach
  void share() throws Exception {
    here = Files.createDirectory(folder.resolve("here"));
    there = Files.createDirectory(folder.resolve("there"));
    url = RunningService.share(here, there);
  }

  @Test
  void aStopAtOneNodeReachesTheAgentOfAnotherThatIsStopping() throws Exception {
    var waiting = Setup.USUAL.with(draining(Duration.ofSeconds(30)));
    try (var first = RunningService.with(here, "touch ready; sleep 300", 1, waiting)) {
      var id = first.create("x");
      RunningService.awaitFile(here.resolve("workspaces/" + id + "/ready"));
      try (var second = RunningService.withCommand(there, "cat")) {
        var stopping = Thread.ofVirtual().start(first.service::close);
        assertThat(stopping.join(Duration.ofSeconds(1))).isFalse();

        second.cancel(id);

        assertThat(second.state(id)).isEqualTo("CANCELLED");
        assertThat(stopping.join(Duration.ofSeconds(10))).isTrue();
      }
    }
  }

  @Test
  void orphanedClaimThatNeverStartedReturnsToTheQueue() throws Exception {
    var command = "touch ready; until [ -e ../../go ]; do sleep 0.02; done; echo done";
    try (var service = RunningService.withCommand(here, command, 1);
        var database = Database.postgres(url, ServiceTables.SCHEMA)) {
      var first = service.create("x");
      RunningService.awaitFile(here.resolve("workspaces/" + first + "/ready"));
      var second = service.create("y");
      // As after a claim whose commit the server made, while the connection broke.
      database.write(
          rows ->
              rows.change(
                      """
                      UPDATE runs SET state = 'INPROGRESS', claim = 'c', execution = 1 WHERE id = ?
                      """,
                      second)
                  + rows.change(
                      """
                      INSERT INTO claims (token, node, node_name, run_id, execution, claimed_at)
                      SELECT 'c', id, name, ?, 1, seen_at FROM nodes
                      """,
                      second));
      service.awaitState(second, "QUEUED");
      Files.writeString(here.resolve("go"), "");

      service.awaitState(second, "SUCCEEDED");
      assertThat(service.message(second)).isEqualTo("done");
    }
  }

  @Test
  void agentSessionIsRecordedDespiteADatabaseFailure() throws Exception {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(
        program,
        """
        #!/bin/sh
        until [ -e ../../go ]; do sleep 0.05; done
        echo '{"type":"system","subtype":"init","session_id":"its-own"}'
        until [ -e ../../end ]; do sleep 0.05; done
        echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
        """);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    var path = program.getParent() + ":" + System.getenv("PATH");
    try (var service = RunningService.inEnvironment(here, Optional.empty(), Map.of("PATH", path));
        var database = Database.postgres(url, ServiceTables.SCHEMA)) {
      var id = service.create("x");
      await().until(() -> isLaunched(database));
      database.write(
          rows -> {
            int _ = rows.change("UPDATE runs SET title = 'held' WHERE id = ?", id);
            write("go");
            await().until(() -> breakConnectionOfWhoeverWaitsForARow(database));
            return id;
          });
      write("end");
      service.awaitState(id, "SUCCEEDED");

      assertThat(
              database.<List<String>>read(
                  rows -> rows.list("SELECT agent_session FROM runs", row -> row.getString(1))))
          .singleElement()
          .asString()
          .contains("its-own");
    }
  }

  private static boolean isLaunched(Database database) {
    return database
        .<Optional<Integer>>read(
            rows -> rows.first("SELECT 1 FROM runs WHERE pid IS NOT NULL", row -> row.getInt(1)))
        .isPresent();
  }

  private void write(String name) {
    try {
      Files.writeString(here.resolve(name), "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean breakConnectionOfWhoeverWaitsForARow(Database database) {
    return !database
        .<List<Boolean>>read(
            rows ->
                rows.list(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event = 'transactionid'
                    """,
                    row -> row.getBoolean(1)))
        .isEmpty();
  }

  private static Limits draining(Duration time) {
    var usual = Limits.DEFAULT;
    return new Limits(
        usual.start(),
        usual.idle(),
        usual.total(),
        usual.outputBytes(),
        usual.diskBytes(),
        usual.keep(),
        usual.keepBytes(),
        time);
  }
}
