package dev.runnel.client;

import dev.runnel.client.RequestOptions.Parameter;
import dev.runnel.wire.RunStateValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Which runs to list. Values of one filter are alternatives, different filters all hold.
/// Immutable: each method answers a changed copy.
///
/// @param parameters the query as it is sent
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

  /// @param limit runs a page, 1 to 500; the service's own is 20
  public ListRuns limit(int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("A page has 1 to " + MAX_LIMIT + " runs");
    }
    return only("limit", Integer.toString(limit));
  }

  /// Goes on where an earlier page ended.
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

  /// By the configuration's name.
  public ListRuns name(String name) {
    return and("name", name);
  }

  public ListRuns model(String modelId) {
    return and("model_id", modelId);
  }

  public ListRuns environment(String environmentId) {
    return and("environment_id", environmentId);
  }

  public ListRuns creator(String uid) {
    return and("creator", uid);
  }

  public ListRuns source(String source) {
    return and("source", source);
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

  public ListRuns metadata(String key, String value) {
    return and("metadata[" + key + "]", value);
  }

  /// Any other parameter, also one this version does not know.
  public ListRuns and(String name, String value) {
    var more = new ArrayList<>(parameters);
    more.add(new Parameter(name, value));
    return new ListRuns(more);
  }

  private ListRuns only(String name, String value) {
    return new ListRuns(
            parameters.stream().filter(parameter -> !parameter.name().equals(name)).toList())
        .and(name, value);
  }
}
