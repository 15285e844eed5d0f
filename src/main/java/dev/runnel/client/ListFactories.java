package dev.runnel.client;

import dev.runnel.client.RequestOptions.Parameter;
import java.util.ArrayList;
import java.util.List;

/// Filter for a list of factories. Immutable: each method returns a changed copy.
///
/// @param parameters the query parameters
public record ListFactories(List<Parameter> parameters) {
  public static final ListFactories ALL = new ListFactories(List.of());

  public ListFactories {
    parameters = List.copyOf(parameters);
  }

  /// @param text part of the name or alias, case-insensitive
  public ListFactories search(String text) {
    return only("search", text);
  }

  public ListFactories team(String uid) {
    return only("filter_team_uid", uid);
  }

  /// @param limit maximum number of factories per page
  public ListFactories limit(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("A page has at least one factory");
    }
    return only("limit", Integer.toString(limit));
  }

  /// Continues after an earlier page.
  public ListFactories cursor(String cursor) {
    return only("cursor", cursor);
  }

  private ListFactories only(String name, String value) {
    var more = new ArrayList<>(parameters);
    more.removeIf(parameter -> parameter.name().equals(name));
    more.add(new Parameter(name, value));
    return new ListFactories(more);
  }
}
