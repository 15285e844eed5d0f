package dev.runnel.client;

import dev.runnel.client.RequestOptions.Parameter;
import dev.runnel.wire.CloudEnvironment;
import dev.runnel.wire.ModelList;
import dev.runnel.wire.Skill;
import dev.runnel.wire.Worker;
import java.util.List;
import java.util.Locale;

/// Read-only lists of what runs can use: skills, environments, models and workers.
public final class Catalog {
  private final Resource api;

  Catalog(Resource api) {
    this.api = api;
  }

  /// Sort order of environments.
  public enum EnvironmentOrder {
    NAME,
    LAST_UPDATED
  }

  /// `GET /agent`: the skills of all repositories, ordered by name.
  public Call<List<Skill>> skills() {
    return skills(ListSkills.ALL);
  }

  public Call<List<Skill>> skills(ListSkills query) {
    return api.get(
        "list skills", Call.list("agents", Skill.class), api.url("agent"), query.parameters());
  }

  /// `GET /agent/environments`, most recently updated first.
  public Call<List<CloudEnvironment>> environments() {
    return environments(EnvironmentOrder.LAST_UPDATED);
  }

  public Call<List<CloudEnvironment>> environments(EnvironmentOrder order) {
    return api.get(
        "list environments",
        Call.list("environments", CloudEnvironment.class),
        api.url("agent", "environments"),
        List.of(new Parameter("sort_by", order.name().toLowerCase(Locale.ROOT))));
  }

  /// `GET /agent/models`.
  public Call<ModelList> models() {
    return api.get("list models", Call.json(ModelList.class), api.url("agent", "models"));
  }

  /// `GET /agent/connected-self-hosted-workers`.
  public Call<List<Worker>> workers() {
    return api.get(
        "list workers",
        Call.list("workers", Worker.class),
        api.url("agent", "connected-self-hosted-workers"));
  }
}
