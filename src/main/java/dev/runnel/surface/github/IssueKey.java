package dev.runnel.surface.github;

import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.SurfaceId;
import java.util.Optional;
import java.util.regex.Pattern;

/// An issue or a pull request, which share one sequence of numbers: `acme/shop#7`.
///
/// @param repository owner and name
record IssueKey(String repository, int number) {
  // Also rejects names such as "..", which would change the paths built from them.
  private static final Pattern REPOSITORY =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*/(?!\\.{1,2}$)[A-Za-z0-9._-]+");
  private static final Pattern KEY = Pattern.compile("(?<repository>.+)#(?<number>[0-9]{1,9})");
  private static final Pattern COMMENT = Pattern.compile(".+/(?<id>[0-9]{1,18})");
  private static final Pattern LINE_COMMENT = Pattern.compile(".+/r(?<id>[0-9]{1,18})");
  private static final Pattern REVIEW = Pattern.compile(".+/review-(?<id>[0-9]{1,18})");

  static Optional<IssueKey> of(String repository, int number) {
    return REPOSITORY.matcher(repository).matches() && number > 0
        ? Optional.of(new IssueKey(repository, number))
        : Optional.empty();
  }

  /// The inverse of [#toString()].
  static Optional<IssueKey> parse(String key) {
    var matcher = KEY.matcher(key);
    return matcher.matches()
        ? of(matcher.group("repository"), Integer.parseInt(matcher.group("number")))
        : Optional.empty();
  }

  static Optional<IssueKey> of(Conversation conversation) {
    return parse(conversation.key());
  }

  Conversation in(SurfaceId surface) {
    return new Conversation(surface, toString());
  }

  /// `acme/shop#7/1234`
  PostRef comment(long id) {
    return new PostRef(this + "/" + id);
  }

  /// A pull request review comment (on a line of the diff): `acme/shop#7/r1234`
  PostRef lineComment(long id) {
    return new PostRef(this + "/r" + id);
  }

  /// `acme/shop#7/review-1234`
  PostRef review(long id) {
    return new PostRef(this + "/review-" + id);
  }

  /// The id in a reference made by [#comment(long)].
  static Optional<Long> commentId(PostRef ref) {
    return id(COMMENT, ref);
  }

  /// The id in a reference made by [#lineComment(long)].
  static Optional<Long> lineCommentId(PostRef ref) {
    return id(LINE_COMMENT, ref);
  }

  /// The API path of the comment or review; empty for any other reference.
  Optional<String> path(PostRef ref) {
    return commentId(ref)
        .map(this::commentPath)
        .or(() -> lineCommentId(ref).map(this::lineCommentPath))
        .or(() -> id(REVIEW, ref).map(id -> pullPath() + "/reviews/" + id));
  }

  private static Optional<Long> id(Pattern pattern, PostRef ref) {
    var matcher = pattern.matcher(ref.value());
    return matcher.matches() ? Optional.of(Long.valueOf(matcher.group("id"))) : Optional.empty();
  }

  String issuePath() {
    return "/repos/" + repository + "/issues/" + number;
  }

  String commentPath(long id) {
    return "/repos/" + repository + "/issues/comments/" + id;
  }

  String lineCommentPath(long id) {
    return "/repos/" + repository + "/pulls/comments/" + id;
  }

  String pullPath() {
    return "/repos/" + repository + "/pulls/" + number;
  }

  String owner() {
    return repository.substring(0, repository.indexOf('/'));
  }

  @Override
  public String toString() {
    return repository + "#" + number;
  }
}
