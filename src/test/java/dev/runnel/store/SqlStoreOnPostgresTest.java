package dev.runnel.store;

import dev.runnel.core.port.Store;
import dev.runnel.database.Database;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.Postgres;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.StoreContract;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class SqlStoreOnPostgresTest implements StoreContract {
  private Database database;
  private SqlStore store;

  @BeforeEach
  void open() throws SQLException {
    database = Database.postgres(Postgres.freshDatabase());
    store = new SqlStore(database, new SettableClock());
  }

  @AfterEach
  void close() {
    store.close();
    database.close();
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public long audited() {
    return new AuditLog(database).verify().entries();
  }
}
