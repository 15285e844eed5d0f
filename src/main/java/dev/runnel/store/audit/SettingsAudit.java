package dev.runnel.store.audit;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.text.Sha256;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Audits changes of the settings between two starts. Only keyed hashes are stored, so that values
/// cannot be guessed from them.
public final class SettingsAudit {
  private static final String KEY = "";
  private static final int KEY_BYTES = 32;

  private record Seen(String name, String hash) {}

  private final Database database;

  /// @param database the bot's database, already migrated
  public SettingsAudit(Database database) {
    this.database = database;
  }

  /// Stores the settings, and adds the names of those that changed since the last start to the
  /// audit log.
  ///
  /// @param values by the names of the settings
  public void store(Map<String, String> values, AuditEntry.Person who, Instant now) {
    var _ =
        database.<Boolean>write(
            rows -> {
              store(rows, values, who, now);
              return true;
            });
  }

  private static void store(
      Rows rows, Map<String, String> values, AuditEntry.Person who, Instant now)
      throws SQLException {
    var before =
        rows
            .list(
                "SELECT name, hash FROM settings_seen",
                row -> new Seen(row.getString(1), row.getString(2)))
            .stream()
            .collect(Collectors.toMap(Seen::name, Seen::hash));
    var isFirst = before.isEmpty();
    var key = isFirst ? key() : String.valueOf(before.remove(KEY));
    var after = new TreeMap<String, String>();
    values.forEach((name, value) -> after.put(name, Sha256.hex(key + "\n" + name + "\n" + value)));
    var changed = new TreeSet<String>(before.keySet());
    changed.addAll(after.keySet());
    changed.removeIf(name -> before.containsKey(name) && before.get(name).equals(after.get(name)));
    if (changed.isEmpty() && !isFirst) {
      return;
    }
    rows.change("DELETE FROM settings_seen");
    after.put(KEY, key);
    for (var each : after.entrySet()) {
      rows.change(
          "INSERT INTO settings_seen (name, hash) VALUES (?, ?)", each.getKey(), each.getValue());
    }
    AuditLog.add(
        rows,
        AuditEntry.of(
            now,
            who,
            AuditEntry.Verb.SETTINGS,
            (isFirst ? "first start: " : "changed: ") + String.join(", ", changed)));
  }

  private static String key() {
    var bytes = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
