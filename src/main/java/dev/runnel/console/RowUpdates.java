package dev.runnel.console;

import static java.util.Objects.requireNonNull;

import dev.runnel.console.view.LiveRow;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Collects for an open page the rows of its list that changed: the event `row` is a row that is
/// new or changed, `said` the id of a run and its new message where nothing else changed, and
/// `order` the ids of all rows, separated by spaces.
///
/// While many runs report at once, changes wait for their turn, so that a page costs less than 5 kB
/// a second. Not thread-safe.
final class RowUpdates {
  /// Number of polls between two reads of the list: once in two seconds.
  private static final int ROUNDS = 4;

  /// Bytes of changes that are sent for one read; the last row may exceed them.
  private static final int MAX_BYTES = 7_000;

  /// Hash codes, because the rows of all open pages would take much memory.
  private record Sent(int shown, int message, long turn) {
    static Sent of(LiveRow row, long turn) {
      return new Sent(row.shown().hashCode(), row.message().hashCode(), turn);
    }

    boolean isOf(LiveRow row) {
      return looksLike(row) && message == row.message().hashCode();
    }

    boolean looksLike(LiveRow row) {
      return shown == row.shown().hashCode();
    }
  }

  private final Map<String, Sent> sent = new HashMap<>();
  private List<String> order = List.of();
  private int round;
  private long turn;

  /// Whether it is time to read the list.
  boolean isDue() {
    return round++ % ROUNDS == 0;
  }

  /// The page has these rows.
  void hasAll(List<LiveRow> rows) {
    order = ids(rows);
    sent.clear();
    rows.forEach(row -> sent.put(row.run(), Sent.of(row, turn++)));
  }

  void send(EventBuffer page, List<LiveRow> rows) {
    var ids = ids(rows);
    sent.keySet().retainAll(ids);
    int bytes = 0;
    // New rows precede the order, which says where they belong.
    for (var row : rows) {
      if (!sent.containsKey(row.run())) {
        bytes += send(page, row);
      }
    }
    if (!ids.equals(order)) {
      order = ids;
      bytes += send(page, "order", String.join(" ", ids));
    }
    for (var row : changed(rows)) {
      if (bytes >= MAX_BYTES) {
        break;
      }
      bytes += send(page, row);
    }
  }

  private record Changed(LiveRow row, Sent before) {}

  /// Rows with new states first, then those with new messages; among them the one that waited
  /// longest.
  private List<LiveRow> changed(List<LiveRow> rows) {
    return rows.stream()
        .map(row -> new Changed(row, requireNonNull(sent.get(row.run()))))
        .filter(it -> !it.before().isOf(it.row()))
        .sorted(
            Comparator.comparing((Changed it) -> it.before().looksLike(it.row()))
                .thenComparing(it -> it.before().turn()))
        .map(Changed::row)
        .toList();
  }

  private int send(EventBuffer page, LiveRow row) {
    var before = sent.put(row.run(), Sent.of(row, turn++));
    return before != null && before.looksLike(row)
        ? send(page, "said", row.run() + " " + row.message())
        : send(page, "row", row.html().get());
  }

  private static int send(EventBuffer page, String event, String data) {
    page.add(event, data);
    return data.getBytes(StandardCharsets.UTF_8).length;
  }

  private static List<String> ids(List<LiveRow> rows) {
    return rows.stream().map(LiveRow::run).toList();
  }
}
