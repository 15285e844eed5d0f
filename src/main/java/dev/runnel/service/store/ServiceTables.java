package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Schema;

/// The tables of the service.
public final class ServiceTables {
  /// The schema of the tables on PostgreSQL; see [Database#postgres(String, String)].
  public static final String SCHEMA = "agent_runs";

  public static final Schema ON_SQLITE = new Schema("db/service", 60);
  public static final Schema ON_POSTGRES = new Schema("db/service-postgres", 60);

  private ServiceTables() {}

  /// Creates the tables, or migrates them to this version.
  public static Database migrate(Database database) {
    return database.migrate(database.isEmbedded() ? ON_SQLITE : ON_POSTGRES);
  }
}
