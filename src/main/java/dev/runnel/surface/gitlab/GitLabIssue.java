package dev.runnel.surface.gitlab;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.SurfaceId;
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

    private final String thing;
    private final String sign;
    private final String path;

    Kind(String thing, String sign, String path) {
      this.thing = thing;
      this.sign = sign;
      this.path = path;
    }

    String thing() {
      return thing;
    }

    String path() {
      return path;
    }
  }

  // No part may be "..", which would change the paths built from it.
  private static final Pattern PROJECT =
      Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)+");
  private static final Pattern KEY =
      Pattern.compile(
          "(?<project>[^#!]+)(?<sign>[#!])(?<number>[0-9]{1,9})(?<internal>\\+internal)?");
  private static final Pattern NOTE = Pattern.compile(".+/(?<id>[0-9]{1,18})");

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

  Conversation in(SurfaceId surface) {
    return new Conversation(surface, toString());
  }

  /// As people write it: `acme/web/shop#7`.
  String name() {
    return project + kind.sign + number;
  }

  PostRef note(long id) {
    return new PostRef(this + "/" + id);
  }

  /// The id in a reference made by [#note(long)].
  static Optional<Long> noteId(PostRef ref) {
    var matcher = NOTE.matcher(ref.value());
    return matcher.matches() ? Optional.of(Long.valueOf(matcher.group("id"))) : Optional.empty();
  }

  static String projectPath(String project) {
    return "/api/v4/projects/" + project.replace("/", "%2F");
  }

  String path() {
    return projectPath(project) + "/" + kind.path + "/" + number;
  }

  @Override
  public String toString() {
    return name() + (internal ? "+internal" : "");
  }
}
