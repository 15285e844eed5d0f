package dev.runnel.bench;

import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The runs in the service's file, by the number of the task that a person asked for.
///
/// @param count how many runs each task has
/// @param waiting tasks whose delivery is stored and not processed yet
/// @param failed tasks whose run ended in an error, with the state and the message
/// @param states how many runs of tasks are in each state
/// @param before how many other runs began to work while the run of the last task waited
record PressedRuns(
    Map<Integer, Integer> count,
    Set<Integer> waiting,
    Map<Integer, String> failed,
    Map<String, Integer> states,
    int before) {
  private static final Pattern TASK = Pattern.compile("task (\\d+)");

  /// @param data the data folder of a server that has ended
  /// @param last the number of a task
  static PressedRuns read(Path data, int last) throws SQLException {
    var count = new HashMap<Integer, Integer>();
    var failed = new TreeMap<Integer, String>();
    var states = new TreeMap<String, Integer>();
    try (var connection =
            DriverManager.getConnection("jdbc:sqlite:" + data.resolve("agent-runs.db"));
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT title, state, status_message FROM runs")) {
      while (rows.next()) {
        var task = TASK.matcher(rows.getString(1));
        if (!task.find()) {
          continue;
        }
        var number = Integer.parseInt(task.group(1));
        var state = rows.getString(2);
        count.merge(number, 1, Integer::sum);
        states.merge(state, 1, Integer::sum);
        if (state.equals("FAILED") || state.equals("ERROR")) {
          failed.put(number, state + " " + rows.getString(3));
        }
      }
    }
    return new PressedRuns(count, waiting(data), failed, states, before(data, last));
  }

  private static int before(Path data, int task) throws SQLException {
    try (var connection =
            DriverManager.getConnection("jdbc:sqlite:" + data.resolve("agent-runs.db"));
        var statement =
            connection.prepareStatement(
                "SELECT COUNT(*) FROM runs, (SELECT created_at AS since_at, started_at AS until_at"
                    + " FROM runs WHERE title = ?) WHERE started_at > since_at AND started_at <"
                    + " until_at")) {
      statement.setString(1, "task " + task);
      try (var rows = statement.executeQuery()) {
        return rows.next() ? rows.getInt(1) : 0;
      }
    }
  }

  private static Set<Integer> waiting(Path data) throws SQLException {
    var tasks = new HashSet<Integer>();
    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("runnel.db"));
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT body FROM inbox WHERE state = 0")) {
      while (rows.next()) {
        var task = TASK.matcher(rows.getString(1));
        if (task.find()) {
          tasks.add(Integer.parseInt(task.group(1)));
        }
      }
    }
    return tasks;
  }

  /// The ids of the runs that print or fork and have not ended.
  static List<String> noisy(Path file) {
    var ids = new ArrayList<String>();
    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        var statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "SELECT id FROM runs WHERE state IN ('QUEUED', 'CLAIMED', 'INPROGRESS')"
                    + " AND (title LIKE 'print-%' OR title LIKE 'fork-%')")) {
      while (rows.next()) {
        ids.add(rows.getString(1));
      }
      return ids;
    } catch (SQLException e) {
      throw new IllegalStateException("The runs cannot be read", e);
    }
  }
}
