package dev.runnel.service.store.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Rows;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A query for a list of runs: filters, order and position, parsed from query parameters.
///
/// Pagination is by key, not by offset: a run that is added meanwhile is neither skipped nor
/// repeated. Filters are combined with AND, the values of one filter with OR. A filter for
/// something that does not exist in this service matches no run.
public final class RunQuery {
  /// Maximum size of a page in bytes, which limits memory on both sides. As objects it takes four
  /// times as much.
  public static final int MAX_BYTES = 512 * 1024;

  private static final int DEFAULT_LIMIT = 20;
  private static final int MAX_LIMIT = 500;
  private static final int MAX_METADATA = 5;
  // The full-text index stores trigrams.
  private static final int MIN_WORD_LENGTH = 3;
  private static final int MAX_INDEX_MATCHES = 500;
  // With other filters, scanning rows for a common word may read the whole table before the page is
  // full.
  private static final int MAX_INDEX_MATCHES_FILTERED = 5_000;
  // The remainder of a longer text is searched for as one phrase.
  private static final int MAX_WORDS = 32;

  /// @param words words that must all occur
  /// @param id part of the text that may be a run id
  private record Search(List<String> words, String id) {}

  /// A page with as many runs as requested, or fewer if they are large.
  public record Page(List<RunRow> runs, Optional<String> nextCursor) {}

  /// Placeholder for the sort column in conditions, until the kind of database is known.
  private static final String ORDER = "$order";

  private final Map<String, List<String>> parameters;
  private final List<String> conditions = new ArrayList<>();
  private final List<Object> values = new ArrayList<>();
  private Optional<Search> search = Optional.empty();
  private final RunSort sort;
  private final boolean ascending;
  private final int limit;

  private RunQuery(Map<String, List<String>> parameters) {
    this.parameters = parameters;
    this.sort = one("sort_by").map(RunSort::of).orElse(RunSort.UPDATED_AT);
    this.ascending = one("sort_order").map(RunQuery::ascending).orElse(false);
    this.limit = one("limit").map(RunQuery::limit).orElse(DEFAULT_LIMIT);
  }

  /// @throws RequestProblem if a parameter is malformed
  public static RunQuery parse(Map<String, List<String>> parameters) {
    var query = new RunQuery(parameters);
    query.addFilters();
    query.one("cursor").ifPresent(query::continueAfter);
    return query;
  }

  /// An SQL statement with its parameters.
  public record Statement(String sql, List<@Nullable Object> values) {
    public @Nullable Object[] parameters() {
      return values.toArray();
    }
  }

  public Page run(Rows rows) throws SQLException {
    return rows.isEmbedded() ? runById(rows) : runAtOnce(rows);
  }

  private Page runAtOnce(Rows rows) throws SQLException {
    var statement = statement("*", rows);
    var size = new PageSize();
    var found =
        rows.listUntil(size::exceeds, statement.sql(), RunRow::read, statement.parameters());
    var fits = found.size() <= limit && (size.bytes <= MAX_BYTES || found.size() == 1);
    // The last run only shows that there is a further page.
    return fits ? page(found, false) : page(found.subList(0, found.size() - 1), true);
  }

  /// SQLite would sort whole rows, which include the prompts. So only the ids are sorted, often
  /// from an index alone, and the runs are then read one by one. A run that is deleted meanwhile is
  /// left out.
  private Page runById(Rows rows) throws SQLException {
    var statement = statement("id", rows);
    var ids = rows.texts(statement.sql(), statement.parameters());
    var size = new PageSize();
    var found = new ArrayList<RunRow>();
    for (var id : ids.subList(0, Math.min(limit, ids.size()))) {
      var run = rows.first("SELECT * FROM runs WHERE id = ?", RunRow::read, id);
      if (run.isPresent() && size.exceeds(run.get())) {
        return page(found, true);
      }
      run.ifPresent(found::add);
    }
    return page(found, ids.size() > limit);
  }

  private Page page(List<RunRow> runs, boolean hasMore) {
    return new Page(
        runs, hasMore && !runs.isEmpty() ? Optional.of(cursor(runs.getLast())) : Optional.empty());
  }

  /// @param columns to select
  public Statement statement(String columns, Rows rows) throws SQLException {
    if (search.isPresent()) {
      addSearch(search.get(), rows);
      search = Optional.empty();
    }
    var direction = ascending ? " ASC" : " DESC";
    var order = sort.column(ascending, rows.isEmbedded());
    var orderBy = " ORDER BY " + order + direction + ", id" + direction;
    var where =
        conditions.isEmpty()
            ? ""
            : " WHERE " + String.join(" AND ", conditions).replace(ORDER, order);
    var sql = "SELECT " + columns + " FROM runs" + where + orderBy + " LIMIT ?";
    var parameters = new ArrayList<@Nullable Object>(values);
    parameters.add(limit + 1);
    return new Statement(sql, parameters);
  }

  /// Counts the size of a page.
  private static final class PageSize {
    private long bytes;
    private int runs;

    /// The first run is always on its page, whatever its size.
    boolean exceeds(RunRow run) {
      bytes += run.bytes();
      runs++;
      return runs > 1 && bytes > MAX_BYTES;
    }
  }

  private void addFilters() {
    filterBy(
        "state",
        "state",
        value -> RunFilterValues.requireKnown("state", value, RunFilterValues.STATES));
    filterBy(
        "source",
        "source",
        value -> RunFilterValues.requireKnown("source", value, RunFilterValues.SOURCES));
    filterBy("name", "config_name", value -> value);
    filterBy("config_name", "config_name", value -> value);
    filterBy("model_id", "model_id", value -> value);
    filterBy("skill_spec", "skill_spec", value -> value);
    filterBy("skill", "skill_spec", value -> value);
    addEnvironments();
    time("created_after", "created_at > ?");
    time("created_before", "created_at < ?");
    time("updated_after", "updated_at > ?");
    one("q").ifPresent(this::setSearch);
    one("ancestor_run_id")
        .ifPresent(
            ancestor ->
                where(
                    """
                    id IN (WITH RECURSIVE family (id) AS (
                      SELECT id FROM runs WHERE parent_run_id = ?
                      UNION SELECT runs.id FROM runs JOIN family ON runs.parent_run_id = family.id
                    ) SELECT id FROM family)\
                    """,
                    ancestor));
    addMetadata();
    filterBy("creator", "creator_uid", value -> value);
    filterBy("executor", "executor_uid", value -> value);
    filterBy("factory_uid", "factory_uid", value -> value);
    filterBy("schedule_id", "schedule_id", value -> value);
    filterBy("automation_id", "schedule_id", value -> value);
    if (one("factory_only").map(RunQuery::flag).orElse(false)) {
      conditions.add("factory_uid IS NOT NULL");
    }
    addTaskStates();
    addLocations();
    addArtifacts();
  }

  private void addEnvironments() {
    var wanted = all("environment_id");
    if (wanted.isEmpty()) {
      return;
    }
    var orNone =
        wanted.contains("empty-environment") ? " OR COALESCE(environment_id, '') = ''" : "";
    conditions.add("(environment_id IN (" + placeholders(wanted) + ")" + orNone + ")");
    values.addAll(wanted);
  }

  /// All runs are executed where the service runs, so only `REMOTE` matches.
  private void addLocations() {
    var wanted = all("execution_location");
    wanted.forEach(
        value ->
            RunFilterValues.requireKnown("execution_location", value, RunFilterValues.LOCATIONS));
    if (!wanted.isEmpty() && !wanted.contains("REMOTE")) {
      conditions.add("1 = 0");
    }
  }

  private void addTaskStates() {
    var wanted = new ArrayList<String>();
    for (var status : all("task_status")) {
      var states = RunFilterValues.TASK_STATES.get(status);
      if (states == null) {
        throw RequestProblem.invalid(
            "task_status must be one of running, failed, blocked, cancelled, complete");
      }
      wanted.addAll(states);
    }
    if (wanted.isEmpty()) {
      return;
    }
    // A task is also running while a run below it is active.
    var orBelow =
        all("task_status").contains("running")
            ? " OR id IN (SELECT root_run_id FROM runs WHERE state IN ("
                + String.join(
                    ", ", RunFilterValues.RUNNING.stream().map(each -> "'" + each + "'").toList())
                + "))"
            : "";
    conditions.add("(state IN (" + placeholders(wanted) + ")" + orBelow + ")");
    values.addAll(wanted);
  }

  private void addArtifacts() {
    var wanted = all("artifact_type");
    if (wanted.isEmpty()) {
      return;
    }
    conditions.add(
        "(" + String.join(" OR ", wanted.stream().map(_ -> "artifacts LIKE ?").toList()) + ")");
    for (var type : wanted) {
      values.add(
          "%\"artifact_type\":\""
              + RunFilterValues.requireKnown("artifact_type", type, RunFilterValues.ARTIFACTS)
              + "\"%");
    }
  }

  private void addMetadata() {
    var pairs =
        parameters.keySet().stream()
            .filter(name -> name.startsWith("metadata[") && name.endsWith("]"))
            .toList();
    if (pairs.size() > MAX_METADATA) {
      throw RequestProblem.invalid("A list can be filtered by at most 5 metadata entries");
    }
    for (var name : pairs) {
      var key = name.substring("metadata[".length(), name.length() - 1);
      if (!NewRun.isMetadataKey(key)) {
        throw RequestProblem.invalid("That is no metadata key: " + name);
      }
      var wanted = all(name);
      conditions.add(
          "id IN (SELECT run_id FROM run_metadata WHERE name = ? AND value IN ("
              + placeholders(wanted)
              + "))");
      values.add(key);
      values.addAll(wanted);
    }
  }

  private void setSearch(String text) {
    var words = text.strip();
    if (!words.isEmpty()) {
      // The text can be the URL of a run.
      var id = words.substring(words.lastIndexOf('/') + 1);
      search = Optional.of(new Search(List.of(words.split("\\s+", MAX_WORDS)), id));
    }
  }

  /// Rare words are looked up in the full-text index of SQLite. Common words are matched row by row
  /// in sort order, which fills a page sooner; on PostgreSQL, all words are.
  private void addSearch(Search text, Rows rows) throws SQLException {
    var words = text.words();
    if (rows.isEmbedded()
        && words.stream()
            .allMatch(word -> word.codePointCount(0, word.length()) >= MIN_WORD_LENGTH)) {
      var phrases =
          words.stream()
              .map(word -> "\"" + word.replace("\"", "\"\"") + "\"")
              .collect(Collectors.joining(" AND "));
      var maxMatches = conditions.isEmpty() ? MAX_INDEX_MATCHES : MAX_INDEX_MATCHES_FILTERED;
      var found =
          rows.list(
              "SELECT rowid FROM run_texts WHERE run_texts MATCH ? LIMIT ?",
              row -> row.getLong(1),
              phrases,
              maxMatches);
      if (found.size() < maxMatches) {
        conditions.add(
            "(runs.rowid IN (SELECT rowid FROM run_texts WHERE run_texts MATCH ?) OR id = ?)");
        values.addAll(List.of(phrases, text.id()));
        return;
      }
    }
    var each =
        """
        (title LIKE ? ESCAPE '\\' OR prompt LIKE ? ESCAPE '\\' OR skill_spec LIKE ? ESCAPE '\\')\
        """
            .replace("LIKE", rows.isEmbedded() ? "LIKE" : "ILIKE");
    conditions.add(
        "(" + String.join(" AND ", words.stream().map(_ -> each).toList()) + " OR id = ?)");
    for (var word : words) {
      // LIKE is case-insensitive for ASCII, as the index is.
      var pattern = "%" + word.replaceAll("([\\\\%_])", "\\\\$1") + "%";
      values.addAll(List.of(pattern, pattern, pattern));
    }
    values.add(text.id());
  }

  private void filterBy(String parameter, String column, UnaryOperator<String> check) {
    var wanted = all(parameter).stream().map(check).toList();
    if (!wanted.isEmpty()) {
      conditions.add(column + " IN (" + placeholders(wanted) + ")");
      values.addAll(wanted);
    }
  }

  private void time(String parameter, String condition) {
    one(parameter).ifPresent(text -> where(condition, instant(parameter, text)));
  }

  private void where(String condition, Object value) {
    conditions.add(condition);
    values.add(value);
  }

  private void continueAfter(String cursor) {
    try {
      var position = ServiceJson.body(Base64.getUrlDecoder().decode(cursor));
      if (!position.path("by").asText().equals(sort.parameterValue())
          || position.path("asc").asBoolean() != ascending
          || !position.path("id").isTextual()
          || !position.path("at").isTextual()) {
        throw RequestProblem.invalid("The cursor does not belong to this list");
      }
      var value = sort.sqlValue(position.path("at").asText());
      var beyond = ascending ? ">" : "<";
      conditions.add("(%1$s %2$s ? OR (%1$s = ? AND id %2$s ?))".formatted(ORDER, beyond));
      values.addAll(List.of(value, value, position.path("id").asText()));
    } catch (RequestProblem | IllegalArgumentException _) {
      throw RequestProblem.invalid("The cursor does not belong to this list");
    }
  }

  private String cursor(RunRow last) {
    ObjectNode position = ServiceJson.newObject();
    position.put("by", sort.parameterValue());
    position.put("asc", ascending);
    position.put("at", sort.cursorValue(last, ascending));
    position.put("id", last.id());
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(position.toString().getBytes(StandardCharsets.UTF_8));
  }

  private List<String> all(String parameter) {
    return parameters.getOrDefault(parameter, List.of());
  }

  private Optional<String> one(String parameter) {
    var given = all(parameter);
    if (given.size() > 1) {
      throw RequestProblem.invalid(parameter + " can be given once only");
    }
    return given.stream().findFirst();
  }

  private static String placeholders(List<String> values) {
    return String.join(", ", values.stream().map(_ -> "?").toList());
  }

  private static boolean flag(String value) {
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw RequestProblem.invalid("factory_only must be true or false");
    };
  }

  private static boolean ascending(String value) {
    return switch (value) {
      case "asc" -> true;
      case "desc" -> false;
      default -> throw RequestProblem.invalid("sort_order must be asc or desc");
    };
  }

  private static int limit(String value) {
    try {
      var limit = Integer.parseInt(value);
      if (limit >= 1 && limit <= MAX_LIMIT) {
        return limit;
      }
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw RequestProblem.invalid("limit must be a number from 1 to 500");
  }

  /// Parses RFC 3339. A time without an offset is UTC, since one official client library sends
  /// none. A `+` that was decoded to a space is restored.
  private static Instant instant(String parameter, String text) {
    var timestamp = text.replaceFirst(" (\\d\\d:\\d\\d)$", "+$1");
    try {
      var instant =
          timestamp.matches("^[^T]*+T.*([Zz]|[+-]\\d\\d:\\d\\d)")
              ? OffsetDateTime.parse(timestamp).toInstant()
              : LocalDateTime.parse(timestamp).toInstant(ZoneOffset.UTC);
      Rows.micros(instant); // rejects times outside the database's range
      return instant;
    } catch (DateTimeParseException | ArithmeticException _) {
      throw RequestProblem.invalid(
          parameter + " must be a time like 2026-01-31T09:30:00Z or with an offset");
    }
  }
}
