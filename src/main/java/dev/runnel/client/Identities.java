package dev.runnel.client;

import dev.runnel.client.HttpRequest.Effect;
import dev.runnel.wire.CreateIdentity;
import dev.runnel.wire.Identity;
import dev.runnel.wire.UpdateIdentity;
import java.util.List;

/// Agent identities, also called named agents: `/agent/identities`.
public final class Identities {
  private final Resource api;

  Identities(Resource api) {
    this.api = api;
  }

  /// `POST /agent/identities`. Retried only if the failed attempt certainly had no effect.
  public Call<Identity> create(CreateIdentity identity) {
    RequestChecks.check(identity.mcpServers());
    return api.call(
        "create an identity",
        "POST",
        api.url("agent", "identities"),
        identity,
        Effect.NON_IDEMPOTENT,
        Call.json(Identity.class));
  }

  /// `GET /agent/identities`.
  public Call<List<Identity>> list() {
    return api.get(
        "list identities", Call.list("agents", Identity.class), api.url("agent", "identities"));
  }

  /// `GET /agent/identities/{uid}`.
  public Call<Identity> get(String uid) {
    return api.get(
        "read identity " + uid, Call.json(Identity.class), api.url("agent", "identities", uid));
  }

  /// `PUT /agent/identities/{uid}`. Members left out keep their value; an empty text or list
  /// clears.
  public Call<Identity> update(String uid, UpdateIdentity identity) {
    RequestChecks.check(identity.mcpServers());
    return api.call(
        "change identity " + uid,
        "PUT",
        api.url("agent", "identities", uid),
        identity,
        Effect.IDEMPOTENT,
        Call.json(Identity.class));
  }

  /// `DELETE /agent/identities/{uid}`.
  public Call<Done> delete(String uid) {
    return api.call(
        "delete identity " + uid,
        "DELETE",
        api.url("agent", "identities", uid),
        null,
        Effect.IDEMPOTENT,
        Call.done());
  }
}
