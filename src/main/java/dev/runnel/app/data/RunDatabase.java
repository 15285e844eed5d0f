package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.service.run.NodeIdentity;
import dev.runnel.service.store.NodeMembership;
import dev.runnel.service.store.RunImport;
import dev.runnel.service.store.ServiceTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The database of the embedded Agent Run Service: beside the bot's on PostgreSQL, else a file in
/// the data folder.
public final class RunDatabase {
  /// Its file in the data folder.
  static final String FILE = "agent-runs.db";

  /// The file after its runs were copied to PostgreSQL.
  private static final String MOVED = "agent-runs.db.moved";

  private RunDatabase() {}

  public static Path file(Config config) {
    return config.data().resolve(FILE);
  }

  static Path moved(Config config) {
    return config.data().resolve(MOVED);
  }

  /// Opens it, and on PostgreSQL copies the runs of a file that an earlier version left.
  ///
  /// @throws SettingsException if it cannot be opened
  public static Database open(Config config, NodeIdentity node) {
    if (config.databaseUrl().isEmpty()) {
      return Database.sqlite(file(config));
    }
    var database = onServer(config.databaseUrl().get());
    try {
      refuseCopiedFolder(config, database, node);
      if (Files.exists(file(config))) {
        move(file(config), database, node);
      }
      return database;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /// Two processes with the same node name would each stop the agents of the other.
  private static void refuseCopiedFolder(Config config, Database database, NodeIdentity node) {
    try {
      NodeMembership.otherProcess(database, node, config.agentLease())
          .ifPresent(
              host -> {
                throw new SettingsException(
                    "Another Runnel, on the host %s, works with a copy of the data folder %s. If this"
                            .formatted(host, config.data())
                        + " is the copy, delete the file node in it, and start again.");
              });
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new SettingsException("The start was interrupted.");
    }
  }

  private static Database onServer(String url) {
    var database = Database.postgres(url, ServiceTables.SCHEMA);
    try {
      return ServiceTables.migrate(database);
    } catch (RuntimeException e) {
      database.close();
      throw new SettingsException(
          "The tables of runs cannot be made in the database (RUNNEL_DATABASE_URL): %s. Let its user"
                  .formatted(e.getMessage())
              + " create schemas, or create the schema %s for it.".formatted(ServiceTables.SCHEMA));
    }
  }

  private static void move(Path file, Database database, NodeIdentity node) {
    try (var old = ServiceTables.migrate(Database.sqlite(file))) {
      RunImport.copy(old, database, node);
    }
    try {
      // After closing, this one file contains all data.
      Files.move(file, file.resolveSibling(MOVED));
    } catch (IOException e) {
      throw new SettingsException(
          "The runs are on PostgreSQL now, and %s cannot be renamed: %s. Rename it to %s, and start again."
              .formatted(file, e.getMessage(), MOVED));
    }
  }

  /// Opens it beside a server, running or not; empty if this Runnel has none.
  ///
  /// @throws DatabaseException if the database server cannot be reached
  static Optional<Database> openIfThere(Config config) {
    if (config.agentApi().isPresent()) {
      return Optional.empty();
    }
    if (config.databaseUrl().isPresent()) {
      return Optional.of(onServer(config.databaseUrl().get()));
    }
    return Files.exists(file(config))
        ? Optional.of(ServiceTables.migrate(Database.sqlite(file(config))))
        : Optional.empty();
  }
}
