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

/// Copies the runs of an embedded database to a database server, once and in one transaction.
/// Workspaces are not moved, so runs and claims are recorded with this node's place and name.
public final class RunImport {
  private static final Logger log = LoggerFactory.getLogger(RunImport.class);
  private static final int PAGE = 500;

  /// In the order of references: each table after those that it refers to.
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

  /// Columns with values of one node.
  private static final Set<String> NODE_COLUMNS = Set.of("runs.place", "claims.node_name");

  private final Database source;
  private final NodeIdentity node;

  private RunImport(Database source, NodeIdentity node) {
    this.source = source;
    this.node = node;
  }

  /// Copies the runs, unless this node did so before.
  ///
  /// @param source an embedded database of this service, already migrated, that no other process
  ///   uses
  /// @param to a database on a server, already migrated
  /// @return the number of runs that were copied
  public static int once(Database source, Database to, NodeIdentity node) {
    var copying = new RunImport(source, node);
    int runs = to.write(copying::copy);
    log.info("runs copied from the embedded database runs={}", runs);
    return runs;
  }

  private int copy(Rows target) throws SQLException {
    target.lock(RunTransactions.CHANGE_LOCK);
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
          source.read(
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
      values.add(
          NODE_COLUMNS.contains(table + "." + column) ? nodeValue(column) : row.getObject(i));
    }
    return new Row(row.getLong(1), columns, values);
  }

  private String nodeValue(String column) {
    return column.equals("place") ? node.place() : node.name();
  }
}
