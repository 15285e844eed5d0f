package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.NodeIdentity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Copies the runs of an embedded database to one on a server, once: all or nothing. The workspaces
/// stay where they are, and so does whatever the service before was working on: it is recorded as
/// this node's.
public final class RunImport {
  private static final Logger log = LoggerFactory.getLogger(RunImport.class);
  private static final int PAGE = 500;

  /// Each after those that it refers to.
  private static final List<String> TABLES =
      List.of(
          "runs",
          "run_metadata",
          "follow_ups",
          "transcript_lines",
          "answers",
          "run_events",
          "api_keys",
          "identities",
          "schedules",
          "artifact_uids",
          "attachments",
          "claims");

  /// Values that only make sense on one node.
  private static final Set<String> OF_THE_NODE = Set.of("runs.place", "claims.node_name");

  private final Database from;
  private final NodeIdentity node;

  private RunImport(Database from, NodeIdentity node) {
    this.from = from;
    this.node = node;
  }

  /// Does nothing if this node has done it before.
  ///
  /// @param from an embedded database of this service, already migrated, that nobody else uses
  /// @param to a database on a server, already migrated
  /// @return the number of runs that were copied
  public static int once(Database from, Database to, NodeIdentity node) {
    var copying = new RunImport(from, node);
    int runs = to.write(copying::copy);
    log.info("runs copied from the embedded database runs={}", runs);
    return runs;
  }

  private int copy(Rows target) throws SQLException {
    target.alone(RunTransactions.WRITER);
    var isFirst =
        target.change(
                "INSERT INTO imports (node_name) VALUES (?) ON CONFLICT DO NOTHING", node.name())
            > 0;
    var runs = 0;
    if (isFirst) {
      for (var table : TABLES) {
        var copied = copy(table, target);
        runs = table.equals("runs") ? copied : runs;
      }
    }
    return runs;
  }

  private int copy(String table, Rows target) throws SQLException {
    var sum = 0;
    var after = 0L;
    while (true) {
      var last = after;
      List<Row> page =
          from.read(
              rows ->
                  rows.list(
                      "SELECT rowid AS place_in_file, * FROM %s WHERE rowid > ? ORDER BY rowid LIMIT ?"
                          .formatted(table),
                      row -> read(row, table),
                      last,
                      PAGE));
      if (page.isEmpty()) {
        return sum;
      }
      for (var row : page) {
        sum +=
            target.change(
                "INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING"
                    .formatted(
                        table,
                        String.join(", ", row.columns()),
                        String.join(", ", Collections.nCopies(row.columns().size(), "?"))),
                row.values().toArray());
      }
      after = page.getLast().number();
    }
  }

  private record Row(long number, List<String> columns, List<@Nullable Object> values) {}

  private Row read(ResultSet row, String table) throws SQLException {
    var about = row.getMetaData();
    var columns = new ArrayList<String>();
    var values = new ArrayList<@Nullable Object>();
    // The first one is the row's number.
    for (int i = 2; i <= about.getColumnCount(); i++) {
      var column = about.getColumnName(i);
      columns.add(column);
      values.add(OF_THE_NODE.contains(table + "." + column) ? ofNode(column) : row.getObject(i));
    }
    return new Row(row.getLong(1), columns, values);
  }

  private String ofNode(String column) {
    return column.equals("place") ? node.place() : node.name();
  }
}
