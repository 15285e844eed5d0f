package dev.runnel.client;

import dev.runnel.client.RequestOptions.Parameter;
import java.util.ArrayList;
import java.util.List;

/// Filter and order for a list of skills. Immutable: each method returns a changed copy.
///
/// @param parameters the query parameters
public record ListSkills(List<Parameter> parameters) {
  public static final ListSkills ALL = new ListSkills(List.of());

  public ListSkills {
    parameters = List.copyOf(parameters);
  }

  /// @param repository `owner/repo`
  public ListSkills repository(String repository) {
    return only("repo", repository);
  }

  /// Has the service read the repositories again.
  public ListSkills refreshed() {
    return only("refresh", "true");
  }

  /// Sorts by last use, newest first, instead of by name.
  public ListSkills lastUsedFirst() {
    return only("sort_by", "last_run");
  }

  /// Includes skills whose file is malformed, with the reason.
  public ListSkills withMalformed() {
    return only("include_malformed_skills", "true");
  }

  private ListSkills only(String name, String value) {
    var more = new ArrayList<>(parameters);
    more.removeIf(parameter -> parameter.name().equals(name));
    more.add(new Parameter(name, value));
    return new ListSkills(more);
  }
}
