package dev.runnel.store;

import dev.runnel.core.port.StartStatistics;
import dev.runnel.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Sums over the table `starts`.
public record SqlStartStatistics(Database database) implements StartStatistics {
  @Override
  public List<Sum> sums(By by, Instant from, Instant to) {
    var column =
        switch (by) {
          case PERSON -> "person";
          case PLACE -> "place";
          case ENVIRONMENT -> "environment";
        };
    return database.read(
        rows ->
            rows.list(
                "SELECT "
                    + column
                    + " AS name, COUNT(*) AS runs, SUM(seconds) AS seconds, SUM(micros) AS micros,"
                    + " SUM(CASE WHEN micros = 0 THEN seconds ELSE 0 END) AS unpriced"
                    + " FROM starts WHERE at >= ? AND at < ? GROUP BY "
                    + column
                    + " ORDER BY runs DESC, name",
                row ->
                    new Sum(
                        row.getString("name"),
                        row.getLong("runs"),
                        Duration.ofSeconds(row.getLong("seconds")),
                        row.getLong("micros"),
                        Duration.ofSeconds(row.getLong("unpriced"))),
                from,
                to));
  }
}
