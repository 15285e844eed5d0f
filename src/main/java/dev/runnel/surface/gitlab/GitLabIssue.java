package dev.runnel.surface.gitlab;

import dev.runnel.core.model.conversation.Conversation;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// An issue or a merge request, by its visible number: `acme/web/shop#7`, `acme/web/shop!7`. Its
/// internal notes form a conversation of their own, `acme/web/shop#7+internal`: every post in it is
/// internal, so that nothing of it becomes visible to everybody.
///
/// @param project the project path, including its groups
record GitLabIssue(String project, Kind kind, int number, boolean internal) {
  enum Kind {
    ISSUE("issue", "#", "issues"),
    MERGE_REQUEST("merge request", "!", "merge_requests");

    private final String itemType;
    private final String sign;
    private final String path;

    Kind(String itemType, String sign, String path) {
      this.itemType = itemType;
      this.sign = sign;
      this.path = path;
    }

    String itemType() {
      return itemType;
    }

    String path() {
      return path;
    }

    /// As an event names it: `merge_request`.
    String event() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  // No part may be "..", which would change the paths built from it.
  private static final Pattern PROJECT =
      Pattern.compile("^[A-Za-z0-9_][A-Za-z0-9_.-]*+(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*+)++");
  private static final Pattern KEY =
      Pattern.compile(
          "^(?<project>[^#!]+)(?<sign>[#!])(?<number>[0-9]{1,9})(?<internal>\\+internal)?");

  static Optional<GitLabIssue> of(String project, Kind kind, int number, boolean internal) {
    return PROJECT.matcher(project).matches() && number > 0
        ? Optional.of(new GitLabIssue(project, kind, number, internal))
        : Optional.empty();
  }

  /// The inverse of [#toString()].
  static Optional<GitLabIssue> of(Conversation conversation) {
    var matcher = KEY.matcher(conversation.key());
    return matcher.matches()
        ? of(
            matcher.group("project"),
            matcher.group("sign").equals(Kind.ISSUE.sign) ? Kind.ISSUE : Kind.MERGE_REQUEST,
            Integer.parseInt(matcher.group("number")),
            matcher.group("internal") != null)
        : Optional.empty();
  }

  /// As people write it: `acme/web/shop#7`.
  String name() {
    return project + kind.sign + number;
  }

  @Override
  public String toString() {
    return name() + (internal ? "+internal" : "");
  }
}
