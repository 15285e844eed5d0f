package dev.runnel.service.store;

import dev.runnel.database.Database;

/// The tables of the service.
public final class ServiceTables {
  /// The schema of the tables on PostgreSQL; see [Database#postgres(String, String)].
  public static final String SCHEMA = "agent_runs";

  private static final String ON_SQLITE = "db/service";
  private static final String ON_POSTGRES = "db/service-postgres";

  private ServiceTables() {}

  /// Makes the tables, or brings them to this version.
  public static Database migrate(Database database) {
    return database.migrate(location(database));
  }

  /// The class-path location of the migrations for this kind of database.
  public static String location(Database database) {
    return database.isEmbedded() ? ON_SQLITE : ON_POSTGRES;
  }
}
