package dev.runnel.surface.jira;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.SurfaceId;
import java.util.Optional;
import java.util.regex.Pattern;

/// An issue by the key people see: `SHOP-7`.
record JiraIssue(String key) {
  // Contains nothing that would change the paths built from it.
  private static final Pattern KEY =
      Pattern.compile("(?<project>[A-Z][A-Z0-9_]{0,30})-(?<number>[1-9][0-9]{0,11})");
  private static final Pattern COMMENT = Pattern.compile(".+/(?<id>[0-9]{1,18})");

  static Optional<JiraIssue> of(String key) {
    return KEY.matcher(key).matches() ? Optional.of(new JiraIssue(key)) : Optional.empty();
  }

  /// The inverse of [#in(SurfaceId)].
  static Optional<JiraIssue> of(Conversation conversation) {
    return of(conversation.key());
  }

  Conversation in(SurfaceId surface) {
    return new Conversation(surface, key);
  }

  String project() {
    return key.substring(0, key.lastIndexOf('-'));
  }

  PostRef comment(long id) {
    return new PostRef(key + "/" + id);
  }

  /// The id in a reference made by [#comment(long)].
  static Optional<Long> commentId(PostRef ref) {
    var matcher = COMMENT.matcher(ref.value());
    return matcher.matches() ? Optional.of(Long.valueOf(matcher.group("id"))) : Optional.empty();
  }

  @Override
  public String toString() {
    return key;
  }
}
