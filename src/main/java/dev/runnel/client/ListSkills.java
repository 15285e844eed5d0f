package dev.runnel.client;

import dev.runnel.client.RequestOptions.Parameter;
import java.util.ArrayList;
import java.util.List;

/// Which skills to list. Immutable: each method answers a changed copy.
///
/// @param parameters the query as it is sent
public record ListSkills(List<Parameter> parameters) {
  public static final ListSkills ALL = new ListSkills(List.of());

  public ListSkills {
    parameters = List.copyOf(parameters);
  }

  /// @param repository `owner/repo`
  public ListSkills repository(String repository) {
    return only("repo", repository);
  }

  /// Reads the repositories anew.
  public ListSkills refreshed() {
    return only("refresh", "true");
  }

  /// The last used first, instead of by name.
  public ListSkills lastUsedFirst() {
    return only("sort_by", "last_run");
  }

  /// Also those whose file cannot be read, with the reason.
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
