package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.execution.ConfigResolution;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.Identities;
import dev.runnel.service.store.RunQueries;
import dev.runnel.wire.CreateIdentity;
import dev.runnel.wire.UpdateIdentity;
import java.util.Optional;
import java.util.function.Predicate;

/// Routes for agent identities: named configurations for runs. The key of an agent reads only those
/// of the factory of its run.
public record IdentityRoutes(
    Identities identities, Agents agents, RunQueries queries, RequestBodies bodies) {
  public void register(Api api) {
    api.get(
        "/agent/identities",
        (ctx, caller) -> {
          var body = ServiceJson.newObject();
          var agents = body.putArray("agents");
          identities.list(Optional.ofNullable(ctx.queryParam("factory_uid"))).stream()
              .filter(visibleTo(caller))
              .forEach(agents::add);
          Api.respond(ctx, body.toString());
        });
    var changing = api.withoutAgentKeys();
    changing.post(
        "/agent/identities",
        (ctx, caller) -> {
          try (var body = bodies.read(ctx, caller)) {
            ServiceJson.convert(body.json(), CreateIdentity.class);
            ConfigResolution.check(body.json(), agents);
            ctx.status(201);
            Api.respond(ctx, identities.create(body.json()).toString());
          }
        });
    api.get(
        "/agent/identities/{uid}",
        (ctx, caller) ->
            Api.respond(
                ctx,
                identities
                    .find(ctx.pathParam("uid"))
                    .filter(visibleTo(caller))
                    .orElseThrow(IdentityRoutes::notFound)
                    .toString()));
    changing.put(
        "/agent/identities/{uid}",
        (ctx, caller) -> {
          try (var body = bodies.read(ctx, caller)) {
            ServiceJson.convert(body.json(), UpdateIdentity.class);
            ConfigResolution.check(body.json(), agents);
            Api.respond(
                ctx,
                identities
                    .update(ctx.pathParam("uid"), body.json())
                    .orElseThrow(IdentityRoutes::notFound)
                    .toString());
          }
        });
    changing.delete(
        "/agent/identities/{uid}",
        (ctx, _) -> {
          if (!identities.delete(ctx.pathParam("uid"))) {
            throw notFound();
          }
          ctx.status(204);
        });
  }

  private Predicate<ObjectNode> visibleTo(Caller caller) {
    if (!(caller.scope() instanceof Caller.Scope.Below(String run))) {
      return _ -> true;
    }
    var factory = queries.find(run).flatMap(RunRow::factoryUid);
    return identity -> factory.filter(identity.path("factory_uid").asText()::equals).isPresent();
  }

  private static RequestProblem notFound() {
    return new RequestProblem(
        RequestProblem.Code.RESOURCE_NOT_FOUND, "No agent identity has this uid");
  }
}
