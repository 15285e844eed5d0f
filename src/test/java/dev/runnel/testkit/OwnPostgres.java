package dev.runnel.testkit;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// A real PostgreSQL server of one test's own, which may stop, hang and come back over the same
/// data, at the same port.
public final class OwnPostgres implements AutoCloseable {
  private final Path data;
  private final int port;
  private EmbeddedPostgres server;
  private List<ProcessHandle> hanging = List.of();

  public OwnPostgres(Path data) throws IOException {
    this.data = data;
    this.port = RunnelProcess.freePort();
    this.server = launch();
  }

  private EmbeddedPostgres launch() throws IOException {
    return EmbeddedPostgres.builder()
        .setDataDirectory(data)
        .setCleanDataDirectory(false)
        .setPort(port)
        .setPGStartupWait(Duration.ofMinutes(1))
        .start();
  }

  public String url() {
    return "jdbc:postgresql://localhost:%d/postgres?user=postgres".formatted(port);
  }

  public void stop() throws IOException {
    server.close();
  }

  public void start() throws IOException {
    server = launch();
  }

  /// All its processes stand still: connections stay open, and nobody answers.
  public void hang() throws IOException, InterruptedException {
    var postmaster =
        ProcessHandle.of(
                Long.parseLong(
                    Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip()))
            .orElseThrow();
    // First the process that starts the others, so that none is missed.
    hanging = List.of(postmaster);
    signal("-STOP");
    hanging = Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
    signal("-STOP");
  }

  public void goOn() throws IOException, InterruptedException {
    signal("-CONT");
    hanging = List.of();
  }

  private void signal(String signal) throws IOException, InterruptedException {
    for (var process : hanging) {
      new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    }
  }

  /// Breaks off every connection but its own.
  public void killConnections() throws SQLException {
    try (var connection = server.getPostgresDatabase().getConnection();
        var statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND"
              + " backend_type = 'client backend'");
    }
  }

  @Override
  public void close() throws IOException {
    try {
      goOn();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.close();
  }
}
