package dev.runnel.store;

import dev.runnel.core.port.Store;
import dev.runnel.database.Database;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.StoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class SqlStoreOnSqliteTest implements StoreContract {
  @TempDir Path folder;
  private Database database;
  private SqlStore store;

  @BeforeEach
  void open() {
    database = MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA);
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
