package dev.runnel.store;

import dev.runnel.core.port.Store;
import dev.runnel.database.Rows;
import dev.runnel.store.row.Statements;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/// Defaults that people set, in the table `preferences`.
final class SqlPreferences implements Store.Preferences {
  private final Statements rows;

  SqlPreferences(Statements rows) {
    this.rows = rows;
  }

  @Override
  public List<Preference> of(Set<String> places) {
    if (places.isEmpty()) {
      return List.of();
    }
    var marks = String.join(", ", Collections.nCopies(places.size(), "?"));
    return rows.list(
        "SELECT * FROM preferences WHERE place IN (%s) ORDER BY place, name".formatted(marks),
        row ->
            new Preference(
                row.getString("place"),
                row.getString("name"),
                row.getString("value"),
                row.getString("set_by"),
                Rows.instant(row, "set_at")),
        places.toArray());
  }

  @Override
  public void set(Preference preference) {
    rows.change(
        "INSERT INTO preferences (place, name, value, set_by, set_at) VALUES (?, ?, ?, ?,"
            + " ?) ON CONFLICT (place, name) DO UPDATE SET value = excluded.value, set_by ="
            + " excluded.set_by, set_at = excluded.set_at",
        preference.place(),
        preference.key(),
        preference.value(),
        preference.by(),
        preference.at());
  }

  @Override
  public boolean unset(String place, String key) {
    return rows.change("DELETE FROM preferences WHERE place = ? AND name = ?", place, key) == 1;
  }
}
