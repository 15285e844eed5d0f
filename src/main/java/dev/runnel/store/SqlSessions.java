package dev.runnel.store;

import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Sessions;
import dev.runnel.database.Database;
import dev.runnel.text.Sha256;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The console's sessions and sign-in links as rows. A secret is random and long, so that its
/// unsalted hash does not reveal it.
public final class SqlSessions implements Sessions {
  private static final String DELETE_EXPIRED = "DELETE FROM %s WHERE expires_at <= ?";
  private static final String SEPARATOR = "\n";

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
  public void begin(String secret, Instant until, SignedInPerson person) {
    int _ =
        database.write(
            rows ->
                rows.change(DELETE_EXPIRED.formatted("console_sessions"), clock.instant())
                    + rows.change(
                        "INSERT INTO console_sessions (hash, expires_at, person, name, names)"
                            + " VALUES (?, ?, ?, ?, ?)",
                        Sha256.hex(secret),
                        until,
                        person.id(),
                        person.name(),
                        String.join(SEPARATOR, person.names())));
  }

  @Override
  public Optional<SignedInPerson> person(String secret, Instant now) {
    return database.read(
        rows ->
            rows.first(
                "SELECT person, name, names FROM console_sessions WHERE hash = ? AND expires_at > ?"
                    + " AND person IS NOT NULL",
                row ->
                    new SignedInPerson(row.getString("person"), row.getString("name"), names(row)),
                Sha256.hex(secret),
                now));
  }

  @Override
  public Set<String> names(String person, Instant now) {
    Optional<Set<String>> names =
        database.read(
            rows ->
                rows.first(
                    "SELECT names FROM console_sessions WHERE person = ? AND expires_at > ?"
                        + " ORDER BY expires_at DESC LIMIT 1",
                    SqlSessions::names,
                    person,
                    now));
    return names.orElse(Set.of());
  }

  private static Set<String> names(ResultSet row) throws SQLException {
    return Stream.of(row.getString("names").split("\n"))
        .filter(it -> !it.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public void expect(String state, Attempt attempt, Instant until) {
    int _ =
        database.write(
            rows ->
                rows.change(DELETE_EXPIRED.formatted("console_attempts"), clock.instant())
                    + rows.change(
                        "INSERT INTO console_attempts (hash, expires_at, provider, browser, nonce,"
                            + " verifier, path) VALUES (?, ?, ?, ?, ?, ?, ?)",
                        Sha256.hex(state),
                        until,
                        attempt.provider(),
                        attempt.browser(),
                        attempt.nonce(),
                        attempt.verifier(),
                        attempt.to()));
  }

  @Override
  public Optional<Attempt> take(String state, Instant now) {
    var hash = Sha256.hex(state);
    // Check before deleting, so that unauthenticated requests cause no write.
    if (!exists("console_attempts", state, now)) {
      return Optional.empty();
    }
    return database.write(
        rows -> {
          Optional<Attempt> found =
              rows.first(
                  "SELECT * FROM console_attempts WHERE hash = ? AND expires_at > ?",
                  row ->
                      new Attempt(
                          row.getString("provider"),
                          row.getString("browser"),
                          row.getString("nonce"),
                          row.getString("verifier"),
                          row.getString("path")),
                  hash,
                  now);
          // Only one of two requests with the same state deletes it.
          return rows.change("DELETE FROM console_attempts WHERE hash = ?", hash) == 1
              ? found
              : Optional.<Attempt>empty();
        });
  }

  @Override
  public void share(String secret, RunId run, Instant until) {
    int _ =
        database.write(
            rows ->
                rows.change(DELETE_EXPIRED.formatted("console_shares"), clock.instant())
                    + rows.change(
                        "INSERT INTO console_shares (hash, expires_at, run) VALUES (?, ?, ?)",
                        Sha256.hex(secret),
                        until,
                        run.value()));
  }

  @Override
  public Optional<RunId> shared(String secret, Instant now) {
    return database.read(
        rows ->
            rows.first(
                "SELECT run FROM console_shares WHERE hash = ? AND expires_at > ?",
                row -> new RunId(row.getString("run")),
                Sha256.hex(secret),
                now));
  }

  @Override
  public boolean isOpen(String secret, Instant now) {
    return exists("console_sessions", secret, now);
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
                    + rows.change("DELETE FROM console_attempts")
                    + rows.change("DELETE FROM console_shares")
                    + rows.change("DELETE FROM console_links"));
  }

  @Override
  public void offer(String link, Instant until) {
    add("console_links", link, until);
  }

  @Override
  public boolean redeem(String link, Instant now) {
    // Check before deleting, so that unauthenticated requests cause no write.
    return exists("console_links", link, now)
        && database.<Integer>write(
                rows -> rows.change("DELETE FROM console_links WHERE hash = ?", Sha256.hex(link)))
            == 1;
  }

  private void add(String table, String secret, Instant until) {
    int _ =
        database.write(
            rows ->
                rows.change(DELETE_EXPIRED.formatted(table), clock.instant())
                    + rows.change(
                        "INSERT INTO " + table + " (hash, expires_at) VALUES (?, ?)",
                        Sha256.hex(secret),
                        until));
  }

  private boolean exists(String table, String secret, Instant now) {
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
