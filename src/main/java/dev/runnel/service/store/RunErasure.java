package dev.runnel.service.store;

import dev.runnel.database.Database;
import dev.runnel.database.Like;
import dev.runnel.database.Rows;
import dev.runnel.service.run.TranscriptLine;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Deletes runs that have ended, with all their rows, also while the service is running. The caller
/// deletes their workspaces.
///
/// @param database the service's database, already migrated
public record RunErasure(Database database) {
  private static final String ENDED = "'SUCCEEDED', 'FAILED', 'ERROR', 'CANCELLED'";
  private static final List<String> TABLES =
      List.of(
          "transcript_lines",
          "follow_ups",
          "run_metadata",
          "run_events",
          "attachments",
          "artifact_uids",
          "api_keys");

  /// @param ended false while it is queued, in progress or blocked
  public record KnownRun(String id, boolean ended) {}

  /// The runs whose id begins with a prefix.
  public List<KnownRun> runs(String prefix) {
    return known("id LIKE ? ESCAPE '!'", Like.prefix(prefix));
  }

  /// The run and its descendants, at any depth; descendants first.
  public List<KnownRun> tree(String id) {
    return database.read(
        rows ->
            rows.list(
                """
                WITH RECURSIVE tree (id, level) AS (
                  SELECT id, 0 FROM runs WHERE id = ?
                  UNION SELECT runs.id, level + 1 FROM runs
                  JOIN tree ON runs.parent_run_id = tree.id)
                SELECT runs.id, state IN (%s) AS ended FROM runs
                JOIN tree ON tree.id = runs.id ORDER BY level DESC
                """
                    .formatted(ENDED),
                RunErasure::known,
                id));
  }

  private List<KnownRun> known(String where, String parameter) {
    return database.read(
        rows ->
            rows.list(
                "SELECT id, state IN (%s) AS ended FROM runs WHERE %s".formatted(ENDED, where),
                RunErasure::known,
                parameter));
  }

  private static KnownRun known(ResultSet row) throws SQLException {
    return new KnownRun(row.getString("id"), row.getBoolean("ended"));
  }

  /// The environment of a run, as stored; empty if it had none, or there is no such run.
  public Optional<String> environment(String id) {
    return database
        .read(rows -> rows.texts("SELECT COALESCE(environment_id, '') FROM runs WHERE id = ?", id))
        .stream()
        .filter(environment -> !environment.isBlank())
        .findFirst();
  }

  /// Deletes the run if it has ended.
  ///
  /// @return whether it existed and had ended
  public boolean delete(String id) {
    return database.write(rows -> delete(rows, id));
  }

  private static boolean delete(Rows rows, String id) throws SQLException {
    rows.lock(RunTransactions.CHANGE_LOCK);
    var hasEnded =
        rows.exists("SELECT 1 FROM runs WHERE id = ? AND state IN (%s)".formatted(ENDED), id);
    if (!hasEnded) {
      return false;
    }
    var about = Like.containing(id);
    rows.change(
        "DELETE FROM answers WHERE answer LIKE ? ESCAPE '!' OR scope LIKE ? ESCAPE '!'",
        about,
        about);
    rows.change("UPDATE runs SET parent_run_id = NULL WHERE parent_run_id = ?", id);
    rows.change("UPDATE runs SET root_run_id = NULL WHERE root_run_id = ? AND id <> ?", id, id);
    rows.change("UPDATE schedules SET last_error = NULL WHERE last_error LIKE ? ESCAPE '!'", about);
    deleteRows(rows, id);
    return true;
  }

  /// Deletes the run with the rows of its own, whatever its state.
  static void deleteRows(Rows rows, String id) throws SQLException {
    for (var table : TABLES) {
      rows.change("DELETE FROM %s WHERE run_id = ?".formatted(table), id);
    }
    rows.change("DELETE FROM runs WHERE id = ?", id);
  }

  /// Deletes messages in runs that are kept: the follow-ups that were sent with these keys, and
  /// what the prompts and the transcript repeat of them.
  ///
  /// @return number of messages
  public int deleteFollowUps(Collection<String> keys) {
    return database.write(
        rows -> {
          rows.lock(RunTransactions.CHANGE_LOCK);
          var sum = 0;
          for (var key : keys) {
            for (var message :
                rows.list(
                    "SELECT run_id, message FROM follow_ups WHERE request_key = ?",
                    row -> new SentMessage(row.getString(1), row.getString(2)),
                    key)) {
              deleteFromPrompts(rows, message);
            }
            sum += rows.change("DELETE FROM follow_ups WHERE request_key = ?", key);
            rows.change("DELETE FROM answers WHERE name = ?", key);
          }
          return sum;
        });
  }

  private record SentMessage(String run, String text) {
    /// Replaces the message where it is a part of a prompt, whose parts are separated by empty
    /// lines.
    String deletedFrom(String prompt) {
      return Pattern.compile("(?<=^|\n\n)" + Pattern.quote(text) + "(?=\n\n|$)")
          .matcher(prompt)
          .replaceAll("(deleted)");
    }
  }

  private static void deleteFromPrompts(Rows rows, SentMessage message) throws SQLException {
    rows.change(
        "DELETE FROM transcript_lines WHERE run_id = ? AND text = ?",
        message.run(),
        message.text());
    record Line(long number, String text) {}
    var lines =
        rows.list(
            "SELECT number, text FROM transcript_lines WHERE run_id = ? AND kind = ? AND text LIKE"
                + " ? ESCAPE '!'",
            row -> new Line(row.getLong(1), row.getString(2)),
            message.run(),
            TranscriptLine.Kind.ASKED.name(),
            Like.containing(message.text()));
    for (var line : lines) {
      rows.change(
          "UPDATE transcript_lines SET text = ? WHERE run_id = ? AND number = ?",
          message.deletedFrom(line.text()),
          message.run(),
          line.number());
    }
    var prompt =
        rows.first("SELECT prompt FROM runs WHERE id = ?", row -> row.getString(1), message.run());
    if (prompt.isPresent()) {
      rows.change(
          "UPDATE runs SET prompt = ? WHERE id = ?",
          message.deletedFrom(prompt.get()),
          message.run());
    }
  }

  /// Rebuilds the full-text index of an embedded database, because deleted text may remain in it.
  public void rebuildIndex() {
    int _ =
        database.write(rows -> rows.change("INSERT INTO run_texts (run_texts) VALUES ('rebuild')"));
  }

  /// Runs that ended before a time, the oldest first.
  public List<String> endedBefore(Instant before, int limit) {
    return database.read(
        rows ->
            rows.texts(
                "SELECT id FROM runs WHERE state IN (%s) AND finished_at < ? ORDER BY finished_at LIMIT ?"
                    .formatted(ENDED),
                before,
                limit));
  }

  /// Deletes transcript lines of runs that ended before a time.
  ///
  /// @return number of lines deleted; repeat while it is at least the limit
  public int deleteTranscripts(Instant before, int limit) {
    return database.write(
        rows ->
            rows.change(
                """
                DELETE FROM transcript_lines WHERE (run_id, number) IN (
                  SELECT transcript_lines.run_id, transcript_lines.number FROM transcript_lines
                  JOIN runs ON runs.id = transcript_lines.run_id
                  WHERE runs.state IN (%s) AND runs.finished_at < ? LIMIT ?)
                """
                    .formatted(ENDED),
                before,
                limit));
  }

  /// Deletes the responses that are kept for repeated requests.
  public void deleteResponses(Instant before) {
    int _ = database.write(rows -> rows.change("DELETE FROM answers WHERE created_at < ?", before));
  }
}
