package dev.runnel.service.http;

import dev.runnel.service.run.Json;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.store.Schedules;
import dev.runnel.service.store.Schedules.Schedule;
import java.util.Optional;

/// Routes for schedules.
public final class ScheduleRoutes {
  private final Schedules schedules;

  public ScheduleRoutes(Schedules schedules) {
    this.schedules = schedules;
  }

  public void register(Api api) {
    api.get(
        "/agent/schedules",
        (ctx, _) -> {
          var body = Json.newObject();
          var list = body.putArray("schedules");
          schedules.list().forEach(schedule -> list.add(schedule.show()));
          Api.answer(ctx, body.toString());
        });
    api.post(
        "/agent/schedules",
        (ctx, _) -> {
          ctx.status(201);
          Api.answer(ctx, schedules.create(Json.body(ctx.bodyAsBytes())).show().toString());
        });
    api.get(
        "/agent/schedules/{id}",
        (ctx, _) -> Api.answer(ctx, shown(schedules.find(ctx.pathParam("id")))));
    api.put(
        "/agent/schedules/{id}",
        (ctx, _) ->
            Api.answer(
                ctx, shown(schedules.update(ctx.pathParam("id"), Json.body(ctx.bodyAsBytes())))));
    api.delete(
        "/agent/schedules/{id}",
        (ctx, _) -> {
          if (!schedules.delete(ctx.pathParam("id"))) {
            throw none();
          }
          Api.answer(ctx, "{\"success\":true}");
        });
    api.post(
        "/agent/schedules/{id}/pause",
        (ctx, _) -> Api.answer(ctx, shown(schedules.enable(ctx.pathParam("id"), false))));
    api.post(
        "/agent/schedules/{id}/resume",
        (ctx, _) -> Api.answer(ctx, shown(schedules.enable(ctx.pathParam("id"), true))));
  }

  private static String shown(Optional<Schedule> schedule) {
    return schedule.orElseThrow(ScheduleRoutes::none).show().toString();
  }

  private static RequestProblem none() {
    return new RequestProblem(RequestProblem.Code.RESOURCE_NOT_FOUND, "No schedule has this id");
  }
}
