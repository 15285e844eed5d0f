package dev.runnel.store.audit;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.AuditReader;
import dev.runnel.database.Rows;
import dev.runnel.store.row.StoredJson;
import dev.runnel.text.Sha256;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A row of the audit log.
///
/// @param facts the part that stays when a person or a run is forgotten, as JSON
/// @param personal the other part, as JSON; null once it is forgotten
/// @param salt prevents guessing the personal part from its digest; null once it is forgotten
/// @param actor the person's id in the personal part
/// @param run the run's id in the personal part
/// @param hash covers the previous row's hash and the facts
public record AuditRow(
    long seq,
    Instant at,
    String facts,
    @Nullable String personal,
    @Nullable String salt,
    @Nullable String actor,
    @Nullable String run,
    String hash) {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int SALT_BYTES = 16;

  /// @param surface stored as `door`, its earlier name, because the hashes cover the stored text
  /// @param digest of the salt and the personal part
  record Facts(
      long seq,
      Instant at,
      String verb,
      String verdict,
      @JsonProperty("door") String surface,
      Optional<String> environment,
      Optional<String> model,
      Optional<String> cost,
      String digest) {}

  public record Personal(
      String id,
      String name,
      Optional<String> team,
      Optional<String> delivery,
      Optional<String> place,
      Optional<String> run,
      String rule,
      String details) {}

  /// The row of a new entry.
  ///
  /// @param previous the hash of the row before it; empty for the first
  static AuditRow of(long seq, String previous, AuditEntry entry) {
    var who = entry.who();
    var run = entry.run().map(RunId::value);
    var personal =
        StoredJson.write(
            new Personal(
                who.id(),
                who.name(),
                who.team(),
                who.delivery().map(DeliveryId::value),
                entry.place().map(Conversation::id),
                run,
                entry.rule(),
                entry.details()));
    var bytes = new byte[SALT_BYTES];
    RANDOM.nextBytes(bytes);
    var salt = HexFormat.of().formatHex(bytes);
    // As precise as its column.
    var at = entry.at().truncatedTo(ChronoUnit.MICROS);
    var facts =
        StoredJson.write(
            new Facts(
                seq,
                at,
                entry.verb().word(),
                entry.verdict().word(),
                who.surface().value(),
                entry.environment(),
                entry.model(),
                entry.cost(),
                digest(salt, personal)));
    return new AuditRow(
        seq, at, facts, personal, salt, who.id(), run.orElse(null), hash(previous, facts));
  }

  static AuditRow read(ResultSet row) throws SQLException {
    return new AuditRow(
        row.getLong("seq"),
        Rows.instant(row, "at"),
        row.getString("facts"),
        row.getString("personal"),
        row.getString("salt"),
        row.getString("actor"),
        row.getString("run"),
        row.getString("hash"));
  }

  private static String digest(String salt, String personal) {
    return Sha256.hex(salt + "\n" + personal);
  }

  private static String hash(String previous, String facts) {
    return Sha256.hex(previous + "\n" + facts);
  }

  boolean isForgotten() {
    return personal == null && salt == null && actor == null && run == null;
  }

  /// Whether the row is unchanged, except that its personal part may be forgotten.
  ///
  /// @param previous the hash of the row before it
  boolean isIntact(String previous) {
    if (!hash(previous, facts).equals(hash)) {
      return false;
    }
    try {
      var written = StoredJson.read(facts, Facts.class);
      return written.seq() == seq
          && at.equals(written.at())
          && (isForgotten() || isPersonalPartOf(written));
    } catch (StoredJson.Unreadable changed) {
      return false;
    }
  }

  private boolean isPersonalPartOf(Facts written) {
    if (personal == null || salt == null || !digest(salt, personal).equals(written.digest())) {
      return false;
    }
    var known = StoredJson.read(personal, Personal.class);
    return Objects.equals(known.id(), actor) && Objects.equals(known.run().orElse(null), run);
  }

  /// The row as one line of JSON. A row that cannot be read is a line with its number and
  /// `damaged`.
  String line() {
    try {
      return StoredJson.write(fields());
    } catch (StoredJson.Unreadable damaged) {
      var line = new LinkedHashMap<String, Object>();
      line.put("seq", seq);
      line.put("at", at.toString());
      line.put("damaged", true);
      line.put("hash", hash);
      return StoredJson.write(line);
    }
  }

  /// The row for people who read the log.
  AuditReader.Line entry() {
    try {
      var written = StoredJson.read(facts, Facts.class);
      var known = Optional.ofNullable(personal).map(it -> StoredJson.read(it, Personal.class));
      return new AuditReader.Line(
          seq,
          at,
          String.valueOf(written.verb()),
          String.valueOf(written.verdict()),
          known.map(it -> new AuditReader.Who(String.valueOf(it.id()), String.valueOf(it.name()))),
          known.flatMap(Personal::place),
          known.map(Personal::rule).orElse(""),
          known.flatMap(Personal::run),
          known.map(Personal::details).orElse(""),
          false,
          line());
    } catch (StoredJson.Unreadable damaged) {
      return new AuditReader.Line(
          seq,
          at,
          "",
          "",
          Optional.empty(),
          Optional.empty(),
          "",
          Optional.empty(),
          "",
          true,
          line());
    }
  }

  private Map<String, Object> fields() {
    var written = StoredJson.read(facts, Facts.class);
    var line = new LinkedHashMap<String, Object>();
    line.put("seq", seq);
    line.put("at", at.toString());
    line.put("verb", written.verb());
    line.put("verdict", written.verdict());
    line.put("door", written.surface());
    if (personal == null) {
      line.put("forgotten", true);
    } else {
      var known = StoredJson.read(personal, Personal.class);
      var who = new LinkedHashMap<String, Object>();
      who.put("id", known.id());
      who.put("name", known.name());
      known.team().ifPresent(team -> who.put("team", team));
      line.put("who", who);
      known.delivery().ifPresent(delivery -> line.put("delivery", delivery));
      known.place().ifPresent(place -> line.put("place", place));
      line.put("rule", known.rule());
      known.run().ifPresent(id -> line.put("run", id));
      line.put("details", known.details());
    }
    written.environment().ifPresent(environment -> line.put("environment", environment));
    written.model().ifPresent(model -> line.put("model", model));
    written.cost().ifPresent(cost -> line.put("cost", cost));
    line.put("hash", hash);
    return line;
  }
}
