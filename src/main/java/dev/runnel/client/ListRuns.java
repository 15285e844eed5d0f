package dev.runnel.client;

import dev.runnel.client.RequestOptions.Parameter;
import dev.runnel.wire.ArtifactType;
import dev.runnel.wire.ExecutionLocation;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.RunStateValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Filter and order for a list of runs. Different filters are combined with AND, the values of one
/// filter with OR. Immutable: each method returns a changed copy.
///
/// @param parameters the query parameters
public record ListRuns(List<Parameter> parameters) {
  public static final int MAX_LIMIT = 500;
  public static final ListRuns ALL = new ListRuns(List.of());

  public enum SortBy {
    UPDATED_AT,
    CREATED_AT,
    TITLE,
    /// By skill; runs without one come last.
    AGENT
  }

  public enum SortOrder {
    ASC,
    DESC
  }

  public ListRuns {
    parameters = List.copyOf(parameters);
  }

  /// @param limit maximum number of runs per page, 1 to 500; default of the service: 20
  public ListRuns limit(int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("A page has 1 to " + MAX_LIMIT + " runs");
    }
    return only("limit", Integer.toString(limit));
  }

  /// Continues after an earlier page.
  public ListRuns cursor(String cursor) {
    return only("cursor", cursor);
  }

  public ListRuns sorted(SortBy by, SortOrder order) {
    return only("sort_by", by.name().toLowerCase(Locale.ROOT))
        .only("sort_order", order.name().toLowerCase(Locale.ROOT));
  }

  public ListRuns state(RunStateValue state) {
    return and("state", state.value());
  }

  /// By the name of the configuration.
  public ListRuns name(String name) {
    return and("name", name);
  }

  public ListRuns model(String modelId) {
    return and("model_id", modelId);
  }

  public ListRuns environment(String environmentId) {
    return and("environment_id", environmentId);
  }

  /// Runs without an environment.
  public ListRuns withoutEnvironment() {
    return environment("empty-environment");
  }

  public ListRuns creator(String uid) {
    return and("creator", uid);
  }

  /// By the account that the agent works as.
  public ListRuns executor(String uid) {
    return and("executor", uid);
  }

  public ListRuns source(RunSource source) {
    return and("source", source.value());
  }

  public ListRuns schedule(String scheduleId) {
    return and("schedule_id", scheduleId);
  }

  public ListRuns automation(String automationId) {
    return and("automation_id", automationId);
  }

  /// By factory; empty for a factory that does not exist.
  public ListRuns factory(String uid) {
    return and("factory_uid", uid);
  }

  public ListRuns onlyOfFactories() {
    return only("factory_only", "true");
  }

  /// By the requested skill.
  public ListRuns skill(String skill) {
    return and("skill", skill);
  }

  /// The same as [#skill], under another parameter name.
  public ListRuns skillSpec(String skillSpec) {
    return and("skill_spec", skillSpec);
  }

  /// Runs that produced an artifact of this type.
  public ListRuns artifactType(ArtifactType type) {
    return and("artifact_type", type.value());
  }

  public ListRuns executionLocation(ExecutionLocation location) {
    return and("execution_location", location.value());
  }

  /// Runs below this run at any depth; the run must exist.
  public ListRuns ancestor(String runId) {
    return only("ancestor_run_id", runId);
  }

  /// @param status `running`, `failed`, `blocked`, `cancelled` or `complete`
  public ListRuns taskStatus(String status) {
    return and("task_status", status);
  }

  /// @param text text to search for in title, prompt and skill, with approximate matching
  public ListRuns matching(String text) {
    return only("q", text);
  }

  public ListRuns createdAfter(Instant time) {
    return only("created_after", time.toString());
  }

  public ListRuns createdBefore(Instant time) {
    return only("created_before", time.toString());
  }

  public ListRuns updatedAfter(Instant time) {
    return only("updated_after", time.toString());
  }

  /// Up to five pairs, combined with AND. Fails with [RunsException.Forbidden] if the service has
  /// this filter disabled.
  public ListRuns metadata(String key, String value) {
    return and("metadata[" + key + "]", value);
  }

  /// Any other parameter, including ones unknown to this version.
  public ListRuns and(String name, String value) {
    var more = new ArrayList<>(parameters);
    more.add(new Parameter(name, value));
    return new ListRuns(more);
  }

  ListRuns fromTheBeginning() {
    return new ListRuns(
        parameters.stream().filter(parameter -> !parameter.name().equals("cursor")).toList());
  }

  private ListRuns only(String name, String value) {
    return new ListRuns(
            parameters.stream().filter(parameter -> !parameter.name().equals(name)).toList())
        .and(name, value);
  }
}
