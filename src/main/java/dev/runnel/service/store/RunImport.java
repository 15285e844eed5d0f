package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.NodeIdentity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Copies the runs of an embedded database to a database server, in one transaction. Workspaces are
/// not moved, so runs and claims are recorded with this node's place and name.
///
/// The file may be copied again: after a crash before it was renamed, and after a rollback to a
/// version that uses the file. Then the later state of a run wins. So no row says that a node has
/// copied its file, and the table `imports` is unused (decision 0050).
public final class RunImport {
  private static final Logger log = LoggerFactory.getLogger(RunImport.class);
  private static final int PAGE = 500;

  /// In the order of references: each table after those that it refers to.
  private static final List<String> TABLES =
      List.of(
          """
          runs run_metadata follow_ups transcript_lines answers run_events api_keys identities
          schedules artifact_uids attachments claims
          """
              .split("\\s+"));

  /// Columns with values of one node.
  private static final Set<String> NODE_COLUMNS = Set.of("runs.place", "claims.node_name");

  private final Database source;
  private final NodeIdentity node;

  private RunImport(Database source, NodeIdentity node) {
    this.source = source;
    this.node = node;
  }

  /// Copies the runs that the server lacks, and those that it has in an earlier state.
  ///
  /// @param source an embedded database of this service, already migrated, that no other process
  ///   uses
  /// @param to a database on a server, already migrated
  /// @return the number of runs that were copied
  public static int copy(Database source, Database to, NodeIdentity node) {
    var copying = new RunImport(source, node);
    copying.correctClaims();
    int runs = to.write(copying::copy);
    log.info("runs copied from the embedded database runs={}", runs);
    return runs;
  }

  private void correctClaims() {
    var now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    int _ =
        source.write(
            rows -> {
              new RunTable(rows).correctClaims("", node.name(), now);
              return 0;
            });
  }

  private int copy(Rows target) throws SQLException {
    target.lock(RunTransactions.CHANGE_LOCK);
    var onServer = updateTimes(target);
    Map<String, Long> runs = source.read(RunImport::updateTimes);
    runs.entrySet().removeIf(run -> onServer.getOrDefault(run.getKey(), 0L) >= run.getValue());
    for (var run : runs.keySet()) {
      if (onServer.containsKey(run)) {
        RunErasure.deleteRows(target, run);
      }
    }
    for (var table : TABLES) {
      copy(table, runs.keySet(), target);
    }
    return runs.size();
  }

  /// When each run was last changed, in microseconds.
  private static Map<String, Long> updateTimes(Rows rows) throws SQLException {
    var times = new HashMap<String, Long>();
    rows.list("SELECT id, updated_at FROM runs", row -> Map.entry(row.getString(1), row.getLong(2)))
        .forEach(run -> times.put(run.getKey(), run.getValue()));
    return times;
  }

  private void copy(String table, Set<String> runs, Rows target) throws SQLException {
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
        return;
      }
      for (var row : page) {
        if (row.run().isEmpty() || runs.contains(row.run().get())) {
          target.change(
              "INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO NOTHING"
                  .formatted(
                      table,
                      String.join(", ", row.columns()),
                      String.join(", ", Collections.nCopies(row.columns().size(), "?"))),
              row.values().toArray());
        }
      }
      after = page.getLast().number();
    }
  }

  /// @param run empty if the row belongs to no run
  private record Row(
      long number, Optional<String> run, List<String> columns, List<@Nullable Object> values) {}

  private Row read(ResultSet row, String table) throws SQLException {
    var about = row.getMetaData();
    var runColumn = table.equals("runs") ? "id" : "run_id";
    Optional<String> run = Optional.empty();
    var columns = new ArrayList<String>();
    var values = new ArrayList<@Nullable Object>();
    // The first one is the row's number.
    for (int i = 2; i <= about.getColumnCount(); i++) {
      var column = about.getColumnName(i);
      columns.add(column);
      if (column.equals(runColumn)) {
        run = Rows.text(row, column);
      }
      values.add(
          NODE_COLUMNS.contains(table + "." + column) ? nodeValue(column) : row.getObject(i));
    }
    return new Row(row.getLong(1), run, columns, values);
  }

  private String nodeValue(String column) {
    return column.equals("place") ? node.place() : node.name();
  }
}
