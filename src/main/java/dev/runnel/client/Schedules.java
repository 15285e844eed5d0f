package dev.runnel.client;

import dev.runnel.client.HttpRequest.Effect;
import dev.runnel.wire.CreateSchedule;
import dev.runnel.wire.Deleted;
import dev.runnel.wire.Schedule;
import dev.runnel.wire.UpdateSchedule;
import java.util.List;

/// Schedules that start runs at cron times: `/agent/schedules`.
public final class Schedules {
  private final Resource api;

  Schedules(Resource api) {
    this.api = api;
  }

  /// `POST /agent/schedules`. Retried only if the failed attempt certainly had no effect.
  public Call<Schedule> create(CreateSchedule schedule) {
    RequestChecks.check(schedule.agentConfig());
    return api.call(
        "create a schedule",
        "POST",
        api.url("agent", "schedules"),
        schedule,
        Effect.NON_IDEMPOTENT,
        Call.json(Schedule.class));
  }

  /// `GET /agent/schedules`, ordered by name.
  public Call<List<Schedule>> list() {
    return api.get(
        "list schedules", Call.list("schedules", Schedule.class), api.url("agent", "schedules"));
  }

  /// `GET /agent/schedules/{id}`.
  public Call<Schedule> get(String id) {
    return api.get(
        "read schedule " + id, Call.json(Schedule.class), api.url("agent", "schedules", id));
  }

  /// `PUT /agent/schedules/{id}`.
  public Call<Schedule> update(String id, UpdateSchedule schedule) {
    RequestChecks.check(schedule.agentConfig());
    return api.call(
        "change schedule " + id,
        "PUT",
        api.url("agent", "schedules", id),
        schedule,
        Effect.IDEMPOTENT,
        Call.json(Schedule.class));
  }

  /// `DELETE /agent/schedules/{id}`.
  public Call<Deleted> delete(String id) {
    return api.call(
        "delete schedule " + id,
        "DELETE",
        api.url("agent", "schedules", id),
        null,
        Effect.IDEMPOTENT,
        Call.json(Deleted.class));
  }

  /// `POST /agent/schedules/{id}/pause`.
  public Call<Schedule> pause(String id) {
    return switchTo("pause", id);
  }

  /// `POST /agent/schedules/{id}/resume`.
  public Call<Schedule> resume(String id) {
    return switchTo("resume", id);
  }

  private Call<Schedule> switchTo(String verb, String id) {
    return api.call(
        verb + " schedule " + id,
        "POST",
        api.url("agent", "schedules", id, verb),
        null,
        Effect.IDEMPOTENT,
        Call.json(Schedule.class));
  }
}
