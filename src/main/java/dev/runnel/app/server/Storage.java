package dev.runnel.app.server;

import dev.runnel.app.settings.SettingsException;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.store.DatabaseHealth;
import dev.runnel.store.SqlStore;
import dev.runnel.store.SteadyClock;
import java.util.concurrent.Executor;

/// The bot's database, and the objects that read and write it.
///
/// @param time of the workers
record Storage(Database database, SteadyClock time, SqlStore store, DatabaseHealth health) {
  static Storage of(Database database, ServerContext context, Executor responses) {
    var time = new SteadyClock(database.clock(context.clock()));
    var store = context.opened(new SqlStore(database, time, responses));
    time.notBefore(store.newestWaiting());
    return new Storage(database, time, store, new DatabaseHealth(store, time));
  }

  /// @throws SettingsException if the database cannot be reached
  static Database open(ServerContext context) {
    return context.opened(
        context
            .config()
            .databaseUrl()
            .map(Storage::postgres)
            .orElseGet(() -> Database.sqlite(context.data().file("runnel.db"))));
  }

  private static Database postgres(String url) {
    try {
      return Database.postgres(url);
    } catch (DatabaseException e) {
      throw new SettingsException(
          "The database cannot be reached. Check RUNNEL_DATABASE_URL, and that the server is up.");
    }
  }
}
