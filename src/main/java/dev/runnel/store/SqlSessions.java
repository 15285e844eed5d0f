package dev.runnel.store;

import dev.runnel.core.port.Sessions;
import dev.runnel.database.Database;
import dev.runnel.text.Sha256;
import java.time.Instant;
import java.time.InstantSource;

/// The console's sessions and sign-in links as rows. A secret is random and long, so that its
/// unsalted hash does not reveal it.
public final class SqlSessions implements Sessions {
  private final Database database;
  private final InstantSource clock;

  /// @param database the database, already migrated
  public SqlSessions(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  @Override
  public void begin(String secret, Instant until) {
    add("console_sessions", secret, until);
  }

  @Override
  public boolean isOpen(String secret, Instant now) {
    return isThere("console_sessions", secret, now);
  }

  @Override
  public void end(String secret) {
    int _ =
        database.write(
            rows -> rows.change("DELETE FROM console_sessions WHERE hash = ?", Sha256.hex(secret)));
  }

  @Override
  public void endAll() {
    int _ =
        database.write(
            rows ->
                rows.change("DELETE FROM console_sessions")
                    + rows.change("DELETE FROM console_links"));
  }

  @Override
  public void offer(String link, Instant until) {
    add("console_links", link, until);
  }

  @Override
  public boolean redeem(String link, Instant now) {
    // Check before deleting, so that unauthenticated requests cause no write.
    return isThere("console_links", link, now)
        && database.<Integer>write(
                rows -> rows.change("DELETE FROM console_links WHERE hash = ?", Sha256.hex(link)))
            == 1;
  }

  private void add(String table, String secret, Instant until) {
    int _ =
        database.write(
            rows ->
                rows.change("DELETE FROM " + table + " WHERE expires_at <= ?", clock.instant())
                    + rows.change(
                        "INSERT INTO " + table + " (hash, expires_at) VALUES (?, ?)",
                        Sha256.hex(secret),
                        until));
  }

  private boolean isThere(String table, String secret, Instant now) {
    return database
        .read(
            rows ->
                rows.first(
                    "SELECT 1 FROM " + table + " WHERE hash = ? AND expires_at > ?",
                    row -> row.getInt(1),
                    Sha256.hex(secret),
                    now))
        .isPresent();
  }
}
