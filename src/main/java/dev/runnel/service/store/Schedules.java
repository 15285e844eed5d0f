package dev.runnel.service.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.kagkarlsson.scheduler.task.schedule.CronSchedule;
import com.github.kagkarlsson.scheduler.task.schedule.CronStyle;
import dev.runnel.database.Database;
import dev.runnel.database.Rows;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.ToolServerSecrets;
import dev.runnel.wire.CreateSchedule;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Stored schedules that start runs at cron times. Bodies are stored as sent, unknown members
/// included.
///
/// @param changes receives a permit whenever the next due time may have changed
public record Schedules(
    Database database, InstantSource clock, Semaphore changes, UnaryOperator<NewRun> configs) {
  private static final String CONFIG = "agent_config";

  private static final List<String> SEPARATE_MEMBERS =
      List.of(
          "id",
          "created_at",
          "updated_at",
          "history",
          "last_spawn_error",
          "enabled",
          "name",
          "cron_schedule");

  /// Longest gap between two executions of a valid schedule: around 2100, 29 February does not
  /// occur for eight years. For a date that never occurs, the cron library returns one in thousands
  /// of years.
  private static final Duration MAX_GAP = Duration.ofDays(9 * 366);

  /// @param body the request without the members that have columns
  /// @param nextRun empty while the schedule is disabled
  public record Schedule(
      String id,
      String name,
      String cron,
      boolean enabled,
      ObjectNode body,
      Instant createdAt,
      Instant updatedAt,
      Optional<Instant> lastRan,
      Optional<Instant> nextRun,
      Optional<String> lastError) {
    static Schedule read(ResultSet row) throws SQLException {
      return new Schedule(
          row.getString("id"),
          row.getString("name"),
          row.getString("cron"),
          row.getInt("enabled") != 0,
          (ObjectNode) ServiceJson.read(row.getString("body")),
          Rows.instant(row, "created_at"),
          Rows.instant(row, "updated_at"),
          instant(row, "last_ran"),
          instant(row, "next_run"),
          Rows.text(row, "last_error"));
    }

    public ObjectNode show() {
      var json = ServiceJson.newObject();
      json.put("id", id);
      json.put("name", name);
      json.put("cron_schedule", cron);
      json.put("enabled", enabled);
      json.put("prompt", "");
      json.put("created_at", createdAt.toString());
      json.put("updated_at", updatedAt.toString());
      json.setAll(body.deepCopy());
      ToolServerSecrets.mask(json.path(CONFIG));
      var history = json.putObject("history");
      lastRan.ifPresent(at -> history.put("last_ran", at.toString()));
      nextRun.ifPresent(at -> history.put("next_run", at.toString()));
      lastError.ifPresent(why -> json.put("last_spawn_error", why));
      return json;
    }

    /// The schedule as shown in a run that it started.
    ObjectNode forRun() {
      return ServiceJson.newObject()
          .put("schedule_id", id)
          .put("schedule_name", name)
          .put("cron_schedule", cron);
    }

    private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
      return row.getString(column) == null
          ? Optional.empty()
          : Optional.of(Rows.instant(row, column));
    }
  }

  public Schedule create(ObjectNode request) {
    var id = UUID.randomUUID().toString();
    var now = now();
    var enabled = request.path("enabled").asBoolean(true);
    var schedule = validated(id, request, enabled, now, now, Optional.empty());
    database.write(
        rows ->
            rows.change(
                """
                INSERT INTO schedules (id, name, cron, enabled, body, created_at, updated_at, next_run)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                id,
                schedule.name(),
                schedule.cron(),
                enabled,
                schedule.body().toString(),
                now,
                now,
                schedule.nextRun().orElse(null)));
    changes.release();
    return schedule;
  }

  /// All schedules, ordered by name.
  public List<Schedule> list() {
    return database.read(
        rows -> rows.list("SELECT * FROM schedules ORDER BY name, id", Schedule::read));
  }

  public Optional<Schedule> find(String id) {
    return database.read(rows -> find(rows, id));
  }

  public Optional<Schedule> update(String id, ObjectNode request) {
    return change(
        id,
        before -> {
          if (!request.path("enabled").isBoolean()) {
            throw RequestProblem.invalid("A schedule needs enabled, true or false");
          }
          var unmasked = request.deepCopy();
          ToolServerSecrets.unmask(unmasked.path(CONFIG), before.body().path(CONFIG));
          return validated(
              id,
              unmasked,
              request.path("enabled").booleanValue(),
              before.createdAt(),
              now(),
              before.lastRan());
        });
  }

  public Optional<Schedule> enable(String id, boolean enabled) {
    return change(
        id,
        before ->
            new Schedule(
                id,
                before.name(),
                before.cron(),
                enabled,
                before.body(),
                before.createdAt(),
                now(),
                before.lastRan(),
                enabled ? next(before.cron(), now()) : Optional.empty(),
                Optional.empty()));
  }

  public boolean delete(String id) {
    return database.write(rows -> rows.change("DELETE FROM schedules WHERE id = ?", id) > 0);
  }

  /// The earliest due time of all schedules.
  public Optional<Instant> nextDue() {
    return database.read(
        rows ->
            rows.first(
                """
                SELECT next_run FROM schedules WHERE enabled = 1 AND next_run IS NOT NULL
                ORDER BY next_run LIMIT 1
                """,
                row -> Rows.instant(row, "next_run")));
  }

  /// The schedule that has been due longest.
  static Optional<Schedule> nextToRun(Rows rows, Instant now) throws SQLException {
    return rows.first(
        """
        SELECT * FROM schedules WHERE enabled = 1 AND next_run <= ? ORDER BY next_run LIMIT 1
        """,
        Schedule::read,
        now);
  }

  /// Records that the schedule's run was started, or could not be. For times that were missed while
  /// the service was down, there is a single run.
  static void recordRun(Rows rows, Schedule schedule, Instant now, @Nullable String error)
      throws SQLException {
    rows.change(
        "UPDATE schedules SET last_ran = ?, next_run = ?, last_error = ? WHERE id = ?",
        now,
        next(schedule.cron(), now).orElse(null),
        error,
        schedule.id());
  }

  private interface Edit {
    Schedule of(Schedule before);
  }

  private Optional<Schedule> change(String id, Edit edit) {
    var changed =
        database.write(
            rows -> {
              var before = find(rows, id);
              if (before.isEmpty()) {
                return Optional.<Schedule>empty();
              }
              var after = edit.of(before.get());
              rows.change(
                  """
                  UPDATE schedules SET name = ?, cron = ?, enabled = ?, body = ?, updated_at = ?,
                    next_run = ?, last_error = NULL
                  WHERE id = ?
                  """,
                  after.name(),
                  after.cron(),
                  after.enabled(),
                  after.body().toString(),
                  after.updatedAt(),
                  after.nextRun().orElse(null),
                  id);
              return Optional.of(after);
            });
    changes.release();
    return changed;
  }

  /// Truncated to the precision of the database.
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  private static Optional<Schedule> find(Rows rows, String id) throws SQLException {
    return rows.first("SELECT * FROM schedules WHERE id = ?", Schedule::read, id);
  }

  private Schedule validated(
      String id,
      ObjectNode request,
      boolean enabled,
      Instant createdAt,
      Instant updatedAt,
      Optional<Instant> lastRan) {
    var name = request.path("name").asText("").strip();
    var cron = request.path("cron_schedule").asText("").strip();
    if (name.isEmpty()) {
      throw RequestProblem.invalid("A schedule needs a name");
    }
    var nextRun = next(cron, now());
    ServiceJson.convert(request, CreateSchedule.class);
    ToolServerSecrets.requireNoMask(request.path(CONFIG));
    // Rejects a schedule that could not start a valid run.
    var _ = configs.apply(NewRun.parse(runRequest(request)));
    var body = request.deepCopy();
    body.remove(SEPARATE_MEMBERS);
    body.properties().removeIf(member -> member.getValue().isNull());
    return new Schedule(
        id,
        name,
        cron,
        enabled,
        body,
        createdAt,
        updatedAt,
        lastRan,
        nextRun.filter(_ -> enabled),
        Optional.empty());
  }

  /// The request body of the run that a schedule starts.
  static ObjectNode runRequest(ObjectNode schedule) {
    var request = ServiceJson.newObject();
    schedule
        .properties()
        .forEach(
            member -> {
              switch (member.getKey()) {
                case "prompt", "metadata", "mode", "team" ->
                    request.set(member.getKey(), member.getValue());
                case CONFIG -> request.set("config", member.getValue());
                case "agent_uid" -> request.set("agent_identity_uid", member.getValue());
                default -> {}
              }
            });
    return request;
  }

  private static Optional<Instant> next(String cron, Instant after) {
    Instant next;
    try {
      next = new CronSchedule(cron, ZoneOffset.UTC, CronStyle.UNIX).getInitialExecutionTime(after);
    } catch (RuntimeException malformed) {
      throw RequestProblem.invalid(
          "cron_schedule must have five fields: minute, hour, day, month, weekday, as in"
              + " 30 9 * * 1-5");
    }
    if (Duration.between(after, next).compareTo(MAX_GAP) > 0) {
      throw RequestProblem.invalid("cron_schedule names a date that never occurs: " + cron);
    }
    return Optional.of(next);
  }
}
