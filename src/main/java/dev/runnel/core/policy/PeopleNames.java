package dev.runnel.core.policy;

import java.util.List;
import java.util.stream.Collectors;

/// Puts the people and groups named in rules into words for people.
public final class PeopleNames {
  private static final String MEMBERS = "members";
  private static final String TEAM = "team:";

  /// Slack's ids are no names: the surface shows them as mentions.
  private static final String SLACK = "slack";

  private PeopleNames() {}

  /// @param names as in a rule: `platform`, `slack:U012345`
  /// @param place where people read the words: `slack:T012AB/C1`
  /// @return for example `all members of this workspace, slack:U012345`: in Slack, people and user
  ///   groups keep the names of the rule
  public static String words(List<String> names, String place) {
    return names.stream()
        .distinct()
        .map(name -> words(name, place.split(":", 2)[0]))
        .collect(Collectors.joining(", "));
  }

  private static String words(String name, String surface) {
    var parts = name.split(":", 2);
    if (name.equals(Rule.ANY)) {
      return "all members";
    }
    if (parts.length < 2) {
      return "the group `" + name + "`";
    }
    if (!parts[0].equals(surface)) {
      return "`" + name + "`";
    }
    if (parts[1].equals(MEMBERS)) {
      return surface.equals(SLACK)
          ? "all members of this workspace"
          : "everybody with write access";
    }
    if (surface.equals(SLACK)) {
      return name;
    }
    return parts[1].startsWith(TEAM)
        ? "the team `" + parts[1].substring(TEAM.length()) + "`"
        : parts[1];
  }
}
