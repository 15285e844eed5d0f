package dev.runnel.service.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.execution.ConfigResolution;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.Factory;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.Factories;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunService;
import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.PageInfo;
import io.javalin.http.Context;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Routes to find factories and dispatch work to them.
public record FactoryRoutes(
    Factories factories,
    ConfigResolution configs,
    RunService runs,
    RunQueries queries,
    Supplier<URI> publicUrl,
    ChangeListener listener,
    RequestBodies bodies) {
  private static final int DEFAULT_LIMIT = 20;
  private static final int MAX_LIMIT = 500;

  public void register(Api api) {
    api.get("/factory", this::list);
    api.get("/factory/{uid}", (ctx, _) -> Api.respond(ctx, factories.show(find(ctx)).toString()));
    api.withoutAgentKeys().post("/factory/{uid}/runs", this::dispatch);
  }

  private void list(Context ctx, Caller caller) {
    var search = Optional.ofNullable(ctx.queryParam("search")).orElse("");
    var limit = intParam(ctx, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
    // Factories are configured and do not change at run time, so an offset is a stable cursor.
    var from = intParam(ctx, "cursor", 0, 0, Integer.MAX_VALUE);
    var all =
        Factories.isOfTeam(Optional.ofNullable(ctx.queryParam("filter_team_uid")))
            ? factories.find(search)
            : List.<Factory>of();
    var body = ServiceJson.newObject();
    var page = body.putArray("factories");
    all.stream().skip(from).limit(limit).map(factories::show).forEach(page::add);
    var next = (long) from + limit;
    var hasNext = next < all.size();
    body.set(
        "page_info",
        ServiceJson.object(new PageInfo(hasNext, hasNext ? Long.toString(next) : null, Map.of())));
    Api.respond(ctx, body.toString());
  }

  private void dispatch(Context ctx, Caller caller) throws IOException {
    var factory = find(ctx);
    try (var body = bodies.read(ctx, caller)) {
      var work = ServiceJson.convert(body.json(), DispatchRun.class);
      var run = configs.resolvedForDispatch(factories.run(factory, work));
      var key = body.idempotencyKey(caller);
      var created = ServiceJson.read(runs.create(run, caller, Optional.of(factory.uid()), key));
      respond(ctx, caller, factory, created);
    }
  }

  private void respond(Context ctx, Caller caller, Factory factory, JsonNode created) {
    var id = created.path("run_id").asText();
    listener.acted(caller, ChangeListener.Action.START, id);
    var body = ServiceJson.newObject();
    body.put("run_id", id);
    body.set("state", created.get("state"));
    body.put("factory_uid", factory.uid());
    body.put("foreman_agent", factory.foreman().name());
    // A repeated dispatch returns the ticket that the first one generated.
    body.put("ticket_ref", queries.find(id).map(Factories::ticketOf).orElse(""));
    body.put("run_url", publicUrl.get().toString().replaceAll("(?<!/)/+$", "") + "/runs/" + id);
    Api.respond(ctx, body.toString());
  }

  private Factory find(Context ctx) {
    return factories
        .get(ctx.pathParam("uid"))
        .orElseThrow(
            () ->
                new RequestProblem(
                    RequestProblem.Code.RESOURCE_NOT_FOUND, "There is no factory with this uid"));
  }

  private static int intParam(Context ctx, String name, int defaultValue, int min, int max) {
    var text = ctx.queryParam(name);
    try {
      var number = text == null ? defaultValue : Integer.parseInt(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw RequestProblem.invalid(
        name.equals("cursor")
            ? "The cursor does not belong to this list"
            : "limit must be a number from 1 to 500");
  }
}
