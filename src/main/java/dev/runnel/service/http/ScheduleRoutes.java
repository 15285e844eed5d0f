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
public final class ScheduleRoutes {
  private final Schedules schedules;
  private final ChangeListener changes;

  public ScheduleRoutes(Schedules schedules, ChangeListener changes) {
    this.schedules = schedules;
    this.changes = changes;
  }

  public void register(Api all) {
    var api = all.notForAgents();
    api.get(
        "/agent/schedules",
        (ctx, _) -> {
          var body = ServiceJson.newObject();
          var list = body.putArray("schedules");
          schedules.list().forEach(schedule -> list.add(schedule.show()));
          Api.answer(ctx, body.toString());
        });
    api.post(
        "/agent/schedules",
        (ctx, caller) -> {
          var created = schedules.create(ServiceJson.body(ctx.bodyAsBytes()));
          changed(caller, "made", created);
          ctx.status(201);
          Api.answer(ctx, created.show().toString());
        });
    api.get(
        "/agent/schedules/{id}",
        (ctx, _) -> Api.answer(ctx, known(schedules.find(ctx.pathParam("id"))).show().toString()));
    api.put(
        "/agent/schedules/{id}",
        (ctx, caller) -> {
          var updated =
              known(schedules.update(ctx.pathParam("id"), ServiceJson.body(ctx.bodyAsBytes())));
          changed(caller, "changed", updated);
          Api.answer(ctx, updated.show().toString());
        });
    api.delete(
        "/agent/schedules/{id}",
        (ctx, caller) -> {
          var deleted = known(schedules.find(ctx.pathParam("id")));
          if (!schedules.delete(deleted.id())) {
            throw none();
          }
          changed(caller, "deleted", deleted);
          Api.answer(ctx, "{\"success\":true}");
        });
    api.post("/agent/schedules/{id}/pause", (ctx, caller) -> enable(ctx, caller, false, "paused"));
    api.post("/agent/schedules/{id}/resume", (ctx, caller) -> enable(ctx, caller, true, "resumed"));
  }

  private void enable(Context ctx, Caller caller, boolean enabled, String done) {
    var schedule = known(schedules.enable(ctx.pathParam("id"), enabled));
    changed(caller, done, schedule);
    Api.answer(ctx, schedule.show().toString());
  }

  private void changed(Caller caller, String done, Schedule schedule) {
    changes.changed(
        caller,
        ChangeListener.Kind.SCHEDULE,
        "%s \"%s\" (%s)".formatted(done, schedule.name(), schedule.id()));
  }

  private static Schedule known(Optional<Schedule> schedule) {
    return schedule.orElseThrow(ScheduleRoutes::none);
  }

  private static RequestProblem none() {
    return new RequestProblem(RequestProblem.Code.RESOURCE_NOT_FOUND, "No schedule has this id");
  }
}
