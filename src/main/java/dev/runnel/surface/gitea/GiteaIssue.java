package dev.runnel.surface.gitea;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.SurfaceId;
import java.util.Optional;
import java.util.regex.Pattern;

/// An issue or a pull request, which share one sequence of numbers: `acme/shop#7`.
///
/// @param repository owner and name
record GiteaIssue(String repository, int number) {
  // Also rejects names such as "..", which would change the paths built from them.
  private static final Pattern REPOSITORY =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*/(?!\\.{1,2}$)[A-Za-z0-9._-]+");
  private static final Pattern KEY = Pattern.compile("(?<repository>.+)#(?<number>[0-9]{1,9})");
  private static final Pattern COMMENT = Pattern.compile(".+/(?<id>[0-9]{1,18})");

  static Optional<GiteaIssue> of(String repository, int number) {
    return REPOSITORY.matcher(repository).matches() && number > 0
        ? Optional.of(new GiteaIssue(repository, number))
        : Optional.empty();
  }

  /// The inverse of [#toString()].
  static Optional<GiteaIssue> parse(String key) {
    var matcher = KEY.matcher(key);
    return matcher.matches()
        ? of(matcher.group("repository"), Integer.parseInt(matcher.group("number")))
        : Optional.empty();
  }

  static Optional<GiteaIssue> of(Conversation conversation) {
    return parse(conversation.key());
  }

  Conversation in(SurfaceId surface) {
    return new Conversation(surface, toString());
  }

  /// `acme/shop#7/1234`
  PostRef comment(long id) {
    return new PostRef(this + "/" + id);
  }

  /// The id in a reference made by [#comment(long)].
  static Optional<Long> commentId(PostRef ref) {
    var matcher = COMMENT.matcher(ref.value());
    return matcher.matches() ? Optional.of(Long.valueOf(matcher.group("id"))) : Optional.empty();
  }

  String issuePath() {
    return "/api/v1/repos/" + repository + "/issues/" + number;
  }

  String commentPath(long id) {
    return "/api/v1/repos/" + repository + "/issues/comments/" + id;
  }

  @Override
  public String toString() {
    return repository + "#" + number;
  }
}
