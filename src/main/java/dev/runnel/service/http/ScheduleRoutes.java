package dev.runnel.service.http;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.Schedules;
import dev.runnel.service.store.Schedules.Schedule;
import io.javalin.http.Context;
import java.util.Optional;

/// Routes for schedules.
public record ScheduleRoutes(Schedules schedules, ChangeListener changes, RequestBodies bodies) {
  public void register(Api all) {
    var api = all.withoutAgentKeys();
    api.get(
        "/agent/schedules",
        (ctx, _) -> {
          var body = ServiceJson.newObject();
          var list = body.putArray("schedules");
          schedules.list().forEach(schedule -> list.add(schedule.show()));
          Api.respond(ctx, body.toString());
        });
    api.post(
        "/agent/schedules",
        (ctx, caller) -> {
          try (var body = bodies.read(ctx, caller)) {
            var created = schedules.create(body.json());
            changed(caller, "made", created);
            ctx.status(201);
            Api.respond(ctx, created.show().toString());
          }
        });
    api.get(
        "/agent/schedules/{id}",
        (ctx, _) ->
            Api.respond(ctx, require(schedules.find(ctx.pathParam("id"))).show().toString()));
    api.put(
        "/agent/schedules/{id}",
        (ctx, caller) -> {
          try (var body = bodies.read(ctx, caller)) {
            var updated = require(schedules.update(ctx.pathParam("id"), body.json()));
            changed(caller, "changed", updated);
            Api.respond(ctx, updated.show().toString());
          }
        });
    api.delete(
        "/agent/schedules/{id}",
        (ctx, caller) -> {
          var deleted = require(schedules.find(ctx.pathParam("id")));
          if (!schedules.delete(deleted.id())) {
            throw notFound();
          }
          changed(caller, "deleted", deleted);
          Api.respond(ctx, "{\"success\":true}");
        });
    api.post("/agent/schedules/{id}/pause", (ctx, caller) -> enable(ctx, caller, false, "paused"));
    api.post("/agent/schedules/{id}/resume", (ctx, caller) -> enable(ctx, caller, true, "resumed"));
  }

  private void enable(Context ctx, Caller caller, boolean enabled, String action) {
    var schedule = require(schedules.enable(ctx.pathParam("id"), enabled));
    changed(caller, action, schedule);
    Api.respond(ctx, schedule.show().toString());
  }

  private void changed(Caller caller, String action, Schedule schedule) {
    changes.changed(
        caller,
        ChangeListener.Kind.SCHEDULE,
        "%s \"%s\" (%s)".formatted(action, schedule.name(), schedule.id()));
  }

  private static Schedule require(Optional<Schedule> schedule) {
    return schedule.orElseThrow(ScheduleRoutes::notFound);
  }

  private static RequestProblem notFound() {
    return new RequestProblem(RequestProblem.Code.RESOURCE_NOT_FOUND, "No schedule has this id");
  }
}
