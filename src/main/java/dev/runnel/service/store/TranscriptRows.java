package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.TranscriptLine;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Reads and writes transcripts, within one transaction.
public record TranscriptRows(Rows rows) {
  /// Lines per statement, because one statement per line would be too slow on a server.
  private static final int LINES_PER_STATEMENT = 100;

  /// The characters of lines that are read at once, because all of them are in memory then. A
  /// longer line is read alone.
  static final int MAX_CHARACTERS = 256 * 1024;

  /// The characters of a line that a search returns.
  private static final int MAX_HIT = 1_000;

  /// A line that is not numbered yet.
  ///
  /// @param failed see [TranscriptLine]
  public record Entry(TranscriptLine.Kind kind, String text, Optional<Boolean> failed) {
    public Entry(TranscriptLine.Kind kind, String text) {
      this(kind, text, Optional.empty());
    }
  }

  /// Appends lines. Only the thread that executes the run may call this.
  void add(String runId, int execution, List<Entry> entries, Instant at) throws SQLException {
    if (entries.isEmpty()) {
      return;
    }
    var number = last(runId);
    for (int from = 0; from < entries.size(); from += LINES_PER_STATEMENT) {
      var batch = entries.subList(from, Math.min(entries.size(), from + LINES_PER_STATEMENT));
      var values = new ArrayList<@Nullable Object>();
      for (var entry : batch) {
        values.addAll(List.of(runId, ++number, execution, entry.kind().name(), at, entry.text()));
        values.add(entry.failed().orElse(null));
      }
      rows.change(
          "INSERT INTO transcript_lines (run_id, number, execution, kind, said_at, text, failed)"
              + " VALUES "
              + String.join(", ", Collections.nCopies(batch.size(), "(?, ?, ?, ?, ?, ?, ?)")),
          values.toArray());
    }
  }

  private record Size(long number, long characters) {}

  /// The lines after a given one: at most `limit`, and fewer if they are long.
  List<TranscriptLine> after(String runId, long number, int limit) throws SQLException {
    var room = new AtomicLong(MAX_CHARACTERS);
    var sizes =
        rows.listUntil(
            size -> room.addAndGet(-size.characters()) <= 0,
            """
            SELECT number, LENGTH(text) AS characters FROM transcript_lines
            WHERE run_id = ? AND number > ? ORDER BY number LIMIT ?
            """,
            row -> new Size(row.getLong("number"), row.getLong("characters")),
            runId,
            number,
            limit);
    if (sizes.isEmpty()) {
      return List.of();
    }
    // The line that no longer fits is read alone next time.
    var last = room.get() < 0 && sizes.size() > 1 ? sizes.get(sizes.size() - 2) : sizes.getLast();
    return rows.list(
        """
        SELECT * FROM transcript_lines WHERE run_id = ? AND number > ? AND number <= ?
        ORDER BY number
        """,
        TranscriptRows::line,
        runId,
        number,
        last.number());
  }

  /// The first lines that contain the text, cut after [#MAX_HIT] characters; the case of ASCII
  /// letters does not matter.
  List<TranscriptLine> find(String runId, String text, int limit) throws SQLException {
    return rows.list(
        """
        SELECT number, execution, kind, said_at, failed, SUBSTR(text, 1, ?) AS text
        FROM transcript_lines WHERE run_id = ? AND LOWER(text) LIKE ? ESCAPE '\\'
        ORDER BY number LIMIT ?
        """,
        TranscriptRows::line,
        MAX_HIT,
        runId,
        "%" + text.toLowerCase(Locale.ROOT).replaceAll("([\\\\%_])", "\\\\$1") + "%",
        limit);
  }

  /// The number of the last line of a kind; 0 if there is none.
  long last(String runId, TranscriptLine.Kind kind) throws SQLException {
    return rows.first(
            """
            SELECT number FROM transcript_lines WHERE run_id = ? AND kind = ?
            ORDER BY number DESC LIMIT 1
            """,
            row -> row.getLong("number"),
            runId,
            kind.name())
        .orElse(0L);
  }

  private static TranscriptLine line(ResultSet row) throws SQLException {
    return new TranscriptLine(
        row.getLong("number"),
        row.getInt("execution"),
        TranscriptLine.Kind.valueOf(row.getString("kind")),
        Rows.instant(row, "said_at"),
        row.getString("text"),
        Rows.text(row, "failed").map(failed -> !failed.equals("0")));
  }

  /// The number of the last line; 0 if there is none.
  long last(String runId) throws SQLException {
    return rows.first(
            """
            SELECT number FROM transcript_lines WHERE run_id = ? ORDER BY number DESC LIMIT 1
            """,
            row -> row.getLong("number"),
            runId)
        .orElse(0L);
  }
}
