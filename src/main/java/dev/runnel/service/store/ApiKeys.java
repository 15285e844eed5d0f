package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.Caller;
import dev.runnel.text.Sha256;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// The API keys of this service: the main key from the data folder, and named keys, of which only
/// hashes are stored. Keys are long and random, so a plain hash without salt is enough.
public final class ApiKeys {
  private static final String PREFIX = "rk-";
  private static final int RANDOM_BYTES = 32;

  /// A key without its secret.
  ///
  /// @param scope `all`, `runs`, `read` or `below`
  public record Key(
      String id,
      String name,
      String scope,
      Optional<String> runId,
      Instant createdAt,
      Optional<Instant> revokedAt) {}

  /// @param secret shown once and never stored
  public record Issued(Key key, String secret) {
    /// Leaves out the secret.
    @Override
    public String toString() {
      return "Issued[key=" + key + "]";
    }
  }

  private final Database database;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private final byte[] mainKeyHash;

  public ApiKeys(Database database, InstantSource clock, String mainKey) {
    this.database = database;
    this.clock = clock;
    this.mainKeyHash = Sha256.of(mainKey);
  }

  /// The caller that a key belongs to; empty if the key is unknown or revoked.
  public Optional<Caller> authenticate(String secret) {
    var hash = Sha256.of(secret);
    if (MessageDigest.isEqual(mainKeyHash, hash)) {
      return Optional.of(Caller.MAIN);
    }
    if (!secret.startsWith(PREFIX)) {
      return Optional.empty();
    }
    return database.read(
        rows ->
            rows.first(
                "SELECT * FROM api_keys WHERE hash = ? AND revoked_at IS NULL",
                ApiKeys::caller,
                HexFormat.of().formatHex(hash)));
  }

  public Issued issue(String name, String scope, Optional<String> runId) {
    var bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    var secret = PREFIX + HexFormat.of().formatHex(bytes);
    var key =
        new Key(
            UUID.randomUUID().toString(), name, scope, runId, clock.instant(), Optional.empty());
    database.write(
        rows ->
            rows.change(
                """
                INSERT INTO api_keys (id, name, hash, scope, run_id, created_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                key.id(),
                name,
                HexFormat.of().formatHex(Sha256.of(secret)),
                scope,
                runId.orElse(null),
                key.createdAt()));
    return new Issued(key, secret);
  }

  /// Keys that people created, ordered by name.
  public List<Key> list() {
    return database.read(
        rows ->
            rows.list(
                "SELECT * FROM api_keys WHERE run_id IS NULL ORDER BY name, created_at",
                ApiKeys::key));
  }

  /// @return whether there was such a key that was not revoked
  public boolean revoke(String id) {
    return database.write(
        rows ->
            rows.change(
                    "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
                    clock.instant(),
                    id)
                > 0);
  }

  private static Caller caller(ResultSet row) throws SQLException {
    var key = key(row);
    var scope =
        switch (key.scope()) {
          case "all" -> new Caller.Scope.All();
          case "runs" -> new Caller.Scope.Runs();
          case "below" -> new Caller.Scope.Below(key.runId().orElseThrow());
          default -> new Caller.Scope.Reading();
        };
    return new Caller(key.id(), key.name(), scope);
  }

  private static Key key(ResultSet row) throws SQLException {
    return new Key(
        row.getString("id"),
        row.getString("name"),
        row.getString("scope"),
        Rows.text(row, "run_id"),
        Rows.instant(row, "created_at"),
        row.getString("revoked_at") == null
            ? Optional.empty()
            : Optional.of(Rows.instant(row, "revoked_at")));
  }
}
