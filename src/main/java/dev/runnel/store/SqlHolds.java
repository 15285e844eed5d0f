package dev.runnel.store;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Store;
import dev.runnel.store.row.Statements;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;

/// Holds in the table `holds`, which is normally empty.
final class SqlHolds implements Store.Holds {
  private record Hold(SurfaceId surface, String why) {}

  private final Statements rows;

  SqlHolds(Statements rows) {
    this.rows = rows;
  }

  @Override
  public Map<SurfaceId, String> all() {
    return rows
        .list(
            "SELECT surface, why FROM holds",
            row -> new Hold(new SurfaceId(row.getString("surface")), row.getString("why")))
        .stream()
        .collect(Collectors.toMap(Hold::surface, Hold::why));
  }

  @Override
  public void hold(SurfaceId surface, String why, Instant since) {
    rows.change(
        "INSERT INTO holds (surface, why, since) VALUES (?, ?, ?) ON CONFLICT (surface) DO"
            + " UPDATE SET why = excluded.why",
        surface.value(),
        why,
        since);
  }

  @Override
  public void lift(SurfaceId surface) {
    rows.change("DELETE FROM holds WHERE surface = ?", surface.value());
  }
}
