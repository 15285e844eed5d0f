package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.execution.ConfigResolution;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.Identities;
import dev.runnel.wire.CreateIdentity;
import dev.runnel.wire.UpdateIdentity;
import java.util.Optional;

/// Routes for agent identities: named configurations for runs.
public record IdentityRoutes(Identities identities, Agents agents) {
  public void register(Api api) {
    api.get(
        "/agent/identities",
        (ctx, _) -> {
          var body = ServiceJson.newObject();
          var agents = body.putArray("agents");
          identities.list(Optional.ofNullable(ctx.queryParam("factory_uid"))).forEach(agents::add);
          Api.respond(ctx, body.toString());
        });
    var changing = api.withoutAgentKeys();
    changing.post(
        "/agent/identities",
        (ctx, _) -> {
          var request = ServiceJson.body(ctx.bodyAsBytes());
          ServiceJson.convert(request, CreateIdentity.class);
          ConfigResolution.check(request, agents);
          ctx.status(201);
          Api.respond(ctx, identities.create(request).toString());
        });
    api.get(
        "/agent/identities/{uid}",
        (ctx, _) -> Api.respond(ctx, find(ctx.pathParam("uid")).toString()));
    changing.put(
        "/agent/identities/{uid}",
        (ctx, _) -> {
          var request = ServiceJson.body(ctx.bodyAsBytes());
          ServiceJson.convert(request, UpdateIdentity.class);
          ConfigResolution.check(request, agents);
          Api.respond(
              ctx,
              identities
                  .update(ctx.pathParam("uid"), request)
                  .orElseThrow(IdentityRoutes::notFound)
                  .toString());
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

  private ObjectNode find(String uid) {
    return identities.find(uid).orElseThrow(IdentityRoutes::notFound);
  }

  private static RequestProblem notFound() {
    return new RequestProblem(
        RequestProblem.Code.RESOURCE_NOT_FOUND, "No agent identity has this uid");
  }
}
