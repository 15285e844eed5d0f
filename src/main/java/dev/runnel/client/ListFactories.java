package dev.runnel.client;

import dev.runnel.client.RequestOptions.Parameter;
import java.util.ArrayList;
import java.util.List;

/// Which factories to list. Immutable: each method answers a changed copy.
///
/// @param parameters the query as it is sent
public record ListFactories(List<Parameter> parameters) {
  public static final ListFactories ALL = new ListFactories(List.of());

  public ListFactories {
    parameters = List.copyOf(parameters);
  }

  /// @param text a part of the name or alias, whatever the case
  public ListFactories search(String text) {
    return only("search", text);
  }

  public ListFactories team(String uid) {
    return only("filter_team_uid", uid);
  }

  /// @param limit factories a page
  public ListFactories limit(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("A page has at least one factory");
    }
    return only("limit", Integer.toString(limit));
  }

  /// Goes on where an earlier page ended.
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
