package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.database.Database;
import java.nio.file.Files;
import java.nio.file.Path;

/// The bot's database, opened by commands beside a running or stopped server.
public final class BotDatabase {
  /// Its file in the data folder, unless it is on PostgreSQL.
  static final String FILE = "runnel.db";

  private BotDatabase() {}

  public static Path file(Config config) {
    return config.data().resolve(FILE);
  }

  /// Opens the database, which the caller closes.
  ///
  /// @throws SettingsException if there is none
  /// @throws dev.runnel.database.DatabaseException if the database server cannot be reached
  public static Database open(Config config) {
    if (config.databaseUrl().isPresent()) {
      return Database.postgres(config.databaseUrl().get());
    }
    if (!Files.exists(file(config))) {
      throw none(config, "name its folder with --data");
    }
    return Database.sqlite(file(config));
  }

  /// @param remedy what to do if the data is elsewhere
  public static SettingsException none(Config config, String remedy) {
    return new SettingsException(
        "There is no Runnel in %s yet. Start one with ./runnel, or %s."
            .formatted(config.data(), remedy));
  }
}
