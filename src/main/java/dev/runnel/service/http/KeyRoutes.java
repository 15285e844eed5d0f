package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.ApiKeys;
import java.util.Optional;
import java.util.Set;

/// Routes for named API keys; they need a key with scope `all`.
public record KeyRoutes(ApiKeys keys, ChangeListener changes, RequestBodies bodies) {
  private static final Set<String> SCOPES = Set.of("all", "runs", "read");
  private static final int MAX_NAME = 100;

  public void register(Api all) {
    var api = all.withoutAgentKeys();
    api.get(
        "/agent/keys",
        (ctx, caller) -> {
          requireAll(caller);
          var body = ServiceJson.newObject();
          var list = body.putArray("keys");
          keys.list().forEach(key -> list.add(show(key)));
          Api.respond(ctx, body.toString());
        });
    api.post(
        "/agent/keys",
        (ctx, caller) -> {
          requireAll(caller);
          try (var body = bodies.read(ctx, caller)) {
            var name = body.json().path("name").asText("").strip();
            var scope = body.json().path("scope").asText("runs");
            if (name.isEmpty() || name.length() > MAX_NAME) {
              throw RequestProblem.invalid("A key needs a name of at most 100 characters");
            }
            if (!SCOPES.contains(scope)) {
              throw RequestProblem.invalid("scope must be all, runs or read");
            }
            var issued = keys.issue(name, scope, Optional.empty());
            changed(caller, "made \"%s\" (%s), scope %s".formatted(name, issued.key().id(), scope));
            ctx.status(201);
            Api.respond(ctx, show(issued.key()).put("key", issued.secret()).toString());
          }
        });
    api.delete(
        "/agent/keys/{id}",
        (ctx, caller) -> {
          requireAll(caller);
          var id = ctx.pathParam("id");
          if (!keys.revoke(id)) {
            throw new RequestProblem(
                RequestProblem.Code.RESOURCE_NOT_FOUND, "No key has this id, or it is revoked");
          }
          var name = keys.list().stream().filter(key -> key.id().equals(id)).map(ApiKeys.Key::name);
          changed(caller, "revoked \"%s\" (%s)".formatted(name.findFirst().orElse(""), id));
          ctx.status(204);
        });
  }

  private void changed(Caller caller, String what) {
    changes.changed(caller, ChangeListener.Kind.KEY, what);
  }

  private static void requireAll(Caller caller) {
    if (!(caller.scope() instanceof Caller.Scope.All)) {
      throw new RequestProblem(RequestProblem.Code.NOT_AUTHORIZED, "This key may not manage keys");
    }
  }

  private static ObjectNode show(ApiKeys.Key key) {
    var json = ServiceJson.newObject();
    json.put("id", key.id());
    json.put("name", key.name());
    json.put("scope", key.scope());
    json.put("created_at", key.createdAt().toString());
    key.revokedAt().ifPresent(at -> json.put("revoked_at", at.toString()));
    return json;
  }
}
