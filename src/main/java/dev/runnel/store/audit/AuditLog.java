package dev.runnel.store.audit;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.port.AuditReader;
import dev.runnel.database.Database;
import dev.runnel.database.Like;
import dev.runnel.database.Rows;
import dev.runnel.store.row.StoredJson;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/// Reads and verifies the audit log, and deletes old entries. Can be used while a server is
/// running.
public final class AuditLog implements AuditReader {
  private static final int PAGE = 500;

  private final Database database;

  /// @param database the bot's database, already migrated
  public AuditLog(Database database) {
    this.database = database;
  }

  /// The result of a verification.
  ///
  /// @param entries number of entries that are intact
  /// @param forgotten how many of them have lost their personal part
  /// @param problem the first entry that was changed, is missing, or was added without the chain
  public record Verification(long entries, long forgotten, Optional<String> problem) {}

  /// @param addedSeq the first entry after the end of the chain, which nothing but tampering adds;
  ///   0 if there is none
  record Ends(long firstSeq, String firstHash, long lastSeq, String lastHash, long addedSeq) {}

  /// Writes an entry in a transaction of its own.
  public void add(AuditEntry entry) {
    var _ =
        database.<Boolean>write(
            rows -> {
              add(rows, entry);
              return true;
            });
  }

  /// Writes an entry at the end of a transaction.
  public static void add(Rows rows, AuditEntry entry) throws SQLException {
    var audit = new AuditWriter(rows);
    audit.add(entry);
    audit.write();
  }

  /// Exports the entries as lines of JSON, oldest first.
  ///
  /// @param from empty for the first
  /// @param to exclusive; empty for the last
  public void export(Optional<Instant> from, Optional<Instant> to, Consumer<String> line) {
    for (var page = after(0, Long.MAX_VALUE);
        !page.isEmpty();
        page = after(page.getLast().seq(), Long.MAX_VALUE)) {
      page.stream()
          .filter(row -> from.isEmpty() || !row.at().isBefore(from.get()))
          .filter(row -> to.isEmpty() || row.at().isBefore(to.get()))
          .map(AuditRow::line)
          .forEach(line);
    }
  }

  @Override
  public List<Line> newest(Filter filter, long before, int limit) {
    var found = new ArrayList<Line>();
    var next = before;
    int read;
    do {
      var page = before(filter, next);
      page.stream()
          .map(AuditRow::entry)
          .filter(line -> filter.person().isEmpty() || isBy(line, filter.person().get()))
          .forEach(found::add);
      read = page.size();
      next = page.isEmpty() ? next : page.getLast().seq();
    } while (read == PAGE && found.size() < limit);
    return List.copyOf(found.subList(0, Math.min(limit, found.size())));
  }

  private static boolean isBy(Line line, String part) {
    var wanted = part.toLowerCase(Locale.ROOT);
    return line.who()
        .filter(
            who ->
                who.id().toLowerCase(Locale.ROOT).contains(wanted)
                    || who.name().toLowerCase(Locale.ROOT).contains(wanted))
        .isPresent();
  }

  private List<AuditRow> before(Filter filter, long seq) {
    var conditions = new StringBuilder("seq < ?");
    var parameters = new ArrayList<Object>(List.of(seq));
    filter
        .day()
        .ifPresent(
            day -> {
              conditions.append(" AND at >= ? AND at < ?");
              parameters.add(day.atStartOfDay(ZoneOffset.UTC).toInstant());
              parameters.add(day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant());
            });
    // The facts are JSON, so that quotes in values are escaped.
    fact("verb", filter.verb(), conditions, parameters);
    fact("verdict", filter.result(), conditions, parameters);
    parameters.add(PAGE);
    return database.read(
        rows ->
            rows.list(
                "SELECT * FROM audit WHERE %s ORDER BY seq DESC LIMIT ?".formatted(conditions),
                AuditRow::read,
                parameters.toArray()));
  }

  private static void fact(
      String name, Optional<String> value, StringBuilder conditions, List<Object> parameters) {
    value.ifPresent(
        it -> {
          conditions.append(" AND facts LIKE ? ESCAPE '!'");
          parameters.add(Like.containing("\"%s\":%s".formatted(name, StoredJson.write(it))));
        });
  }

  private List<AuditRow> after(long seq, long last) {
    return database.read(
        rows ->
            rows.list(
                "SELECT * FROM audit WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                AuditRow::read,
                seq,
                last,
                PAGE));
  }

  /// Verifies the chain of hashes. Ignores entries that are written or pruned meanwhile.
  public Verification verify() {
    while (true) {
      var ends = ends();
      if (ends.isEmpty()) {
        return new Verification(0, 0, Optional.of("The ends of the chain are missing."));
      }
      var result = verify(ends.get());
      if (result.problem().isEmpty() || isUnpruned(ends.get())) {
        return result;
      }
    }
  }

  private boolean isUnpruned(Ends ends) {
    return ends().filter(now -> now.firstSeq() == ends.firstSeq()).isPresent();
  }

  /// Reads all in one statement, because entries may be written between two.
  private Optional<Ends> ends() {
    return database.read(
        rows ->
            rows.first(
                "SELECT audit_ends.*, (SELECT MIN(seq) FROM audit WHERE seq > last_seq) AS"
                    + " added_seq FROM audit_ends WHERE id = 1",
                row ->
                    new Ends(
                        row.getLong("first_seq"),
                        row.getString("first_hash"),
                        row.getLong("last_seq"),
                        row.getString("last_hash"),
                        row.getLong("added_seq"))));
  }

  /// Compares the entries with the ends of the chain, as they were read before the entries.
  Verification verify(Ends ends) {
    var last = ends.lastSeq();
    var seq = ends.firstSeq();
    var hash = ends.firstHash();
    var intact = 0L;
    var forgotten = 0L;
    for (var page = after(Long.MIN_VALUE, last);
        !page.isEmpty();
        page = after(page.getLast().seq(), last)) {
      for (var row : page) {
        if (row.seq() != seq + 1) {
          return new Verification(intact, forgotten, Optional.of(missing(seq + 1)));
        }
        if (!row.isIntact(hash)) {
          return new Verification(
              intact,
              forgotten,
              Optional.of("Entry %d of %s was changed.".formatted(row.seq(), row.at())));
        }
        seq = row.seq();
        hash = row.hash();
        intact++;
        forgotten += row.isForgotten() ? 1 : 0;
      }
    }
    if (seq != last) {
      return new Verification(intact, forgotten, Optional.of(missing(seq + 1)));
    }
    if (!hash.equals(ends.lastHash())) {
      return new Verification(
          intact, forgotten, Optional.of("Entry %d was replaced.".formatted(last)));
    }
    if (ends.addedSeq() > 0) {
      return new Verification(
          intact, forgotten, Optional.of("Entry %d was added.".formatted(ends.addedSeq())));
    }
    return new Verification(intact, forgotten, Optional.empty());
  }

  private static String missing(long seq) {
    return "Entry %d is missing.".formatted(seq);
  }

  /// Deletes the entries before a time, in small commits. The chain then begins with the oldest
  /// remaining entry.
  ///
  /// @return number of entries deleted
  public int prune(Instant before) {
    var sum = 0;
    int dropped;
    do {
      dropped = database.<Integer>write(rows -> prune(rows, before));
      sum += dropped;
    } while (dropped == PAGE);
    return sum;
  }

  private static int prune(Rows rows, Instant before) throws SQLException {
    rows.change("UPDATE audit_ends SET last_seq = last_seq WHERE id = 1");
    var old =
        rows.list("SELECT * FROM audit ORDER BY seq LIMIT ?", AuditRow::read, PAGE).stream()
            .takeWhile(row -> row.at().isBefore(before))
            .toList();
    if (!old.isEmpty()) {
      var last = old.getLast();
      rows.change("DELETE FROM audit WHERE seq <= ?", last.seq());
      rows.change(
          "UPDATE audit_ends SET first_seq = ?, first_hash = ? WHERE id = 1",
          last.seq(),
          last.hash());
    }
    return old.size();
  }
}
