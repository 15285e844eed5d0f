package dev.runnel.surface.slack.install;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// Reads and writes the tables `slack_installations` and `slack_states_used`. Each change is one
/// statement, so no transaction spans several.
public record InstallationRows(DataSource database) {
  /// @param version increases with every change of the tokens
  record Row(String team, String name, String encrypted, long version) {
    /// Omits the encrypted tokens.
    @Override
    public String toString() {
      return "Row[team=" + team + ", version=" + version + "]";
    }
  }

  private static final String COLUMNS = "SELECT team, name, sealed, version";

  Optional<Row> of(String team) throws SQLException {
    return list(COLUMNS + " FROM slack_installations WHERE team = ?", team).stream().findFirst();
  }

  List<Row> all() throws SQLException {
    return list(COLUMNS + " FROM slack_installations ORDER BY name, team");
  }

  /// Inserts the installation, or replaces it when the workspace installs the app again.
  void install(String team, String name, String encrypted, Instant now) throws SQLException {
    change(
        "INSERT INTO slack_installations (team, name, sealed, version, written_at, claimed_until)"
            + " VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT (team) DO UPDATE SET name = excluded.name,"
            + " sealed = excluded.sealed, version = excluded.version, written_at ="
            + " excluded.written_at, claimed_until = 0",
        team,
        name,
        encrypted,
        // A version never used before, even if the row was deleted in between.
        micros(now),
        micros(now));
  }

  /// Claims the right to refresh the tokens until the given time.
  ///
  /// @return false when another node has the claim or has already refreshed the tokens
  boolean claim(String team, long version, Instant now, Instant until) throws SQLException {
    return change(
            "UPDATE slack_installations SET claimed_until = ? WHERE team = ? AND version = ? AND"
                + " claimed_until <= ?",
            micros(until),
            team,
            version,
            micros(now))
        == 1;
  }

  /// Stores refreshed tokens.
  ///
  /// @return false when the tokens were changed in between
  boolean renew(String team, long version, String encrypted, Instant now) throws SQLException {
    return change(
            "UPDATE slack_installations SET sealed = ?, version = version + 1, written_at = ?,"
                + " claimed_until = 0 WHERE team = ? AND version = ?",
            encrypted,
            micros(now),
            team,
            version)
        == 1;
  }

  /// Stores the same tokens with a new encryption.
  void reencrypt(Row row, String encrypted) throws SQLException {
    change(
        "UPDATE slack_installations SET sealed = ? WHERE team = ? AND version = ?",
        encrypted,
        row.team(),
        row.version());
  }

  /// @return false when the tokens are newer, or there is no row
  boolean delete(String team, Instant writtenUntil) throws SQLException {
    return change(
            "DELETE FROM slack_installations WHERE team = ? AND written_at <= ?",
            team,
            micros(writtenUntil))
        == 1;
  }

  /// @return false when the row has another version
  boolean delete(String team, long version) throws SQLException {
    return change("DELETE FROM slack_installations WHERE team = ? AND version = ?", team, version)
        == 1;
  }

  /// @return false when the state was used before
  boolean use(String state, Instant expiresAt, Instant now) throws SQLException {
    change("DELETE FROM slack_states_used WHERE expires_at < ?", micros(now));
    return change(
            "INSERT INTO slack_states_used (state, expires_at) VALUES (?, ?) ON CONFLICT (state) DO"
                + " NOTHING",
            state,
            micros(expiresAt))
        == 1;
  }

  private static long micros(Instant at) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at);
  }

  private int change(String sql, @Nullable Object... parameters) throws SQLException {
    try (var connection = database.getConnection();
        var statement = prepare(connection, sql, parameters)) {
      return statement.executeUpdate();
    }
  }

  private List<Row> list(String sql, @Nullable Object... parameters) throws SQLException {
    try (var connection = database.getConnection();
        var statement = prepare(connection, sql, parameters);
        var result = statement.executeQuery()) {
      List<Row> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(row(result));
      }
      return rows;
    }
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        row.getString("team"),
        row.getString("name"),
        row.getString("sealed"),
        row.getLong("version"));
  }

  private static PreparedStatement prepare(
      Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
    var statement = connection.prepareStatement(sql);
    for (var i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }
}
