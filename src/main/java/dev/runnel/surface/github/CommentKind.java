package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The kinds of comments on GitHub, each with its webhook event.
enum CommentKind {
  ISSUE_COMMENT("issue_comment", "comment", "created", ""),
  REVIEW_COMMENT("pull_request_review_comment", "comment", "created", "r"),
  REVIEW("pull_request_review", "review", "submitted", "review-");

  private final String event;
  private final String member;
  private final String first;
  private final Pattern form;
  private final String prefix;

  CommentKind(String event, String member, String first, String prefix) {
    this.event = event;
    this.member = member;
    this.first = first;
    this.prefix = prefix;
    this.form = Pattern.compile("^.+/" + prefix + "(?<id>[0-9]{1,18})");
  }

  /// The event's name in `X-GitHub-Event`.
  String event() {
    return event;
  }

  static Optional<CommentKind> of(String event) {
    return Stream.of(values()).filter(each -> each.event.equals(event)).findFirst();
  }

  /// The comment or review in a payload of the event.
  JsonNode in(JsonNode payload) {
    return payload.path(member);
  }

  /// When it was written, by GitHub's clock.
  Optional<Instant> at(JsonNode payload) {
    return Json.instant(in(payload), this == REVIEW ? "submitted_at" : "created_at");
  }

  /// The payload field that contains it.
  String member() {
    return member;
  }

  /// The action of a payload that announces a new one.
  String first() {
    return first;
  }

  /// The semantic key of a new one.
  String meaning(long id) {
    return meaning(id, first);
  }

  String meaning(long id, String action) {
    var kind =
        switch (this) {
          case ISSUE_COMMENT -> "comment:";
          case REVIEW_COMMENT -> "line-comment:";
          case REVIEW -> "review:";
        };
    return kind + id + ":" + action;
  }

  /// A comment is `acme/shop#7/1234`, on a line of the diff `acme/shop#7/r1234`, a review
  /// `acme/shop#7/review-1234`.
  PostRef ref(RepositoryIssue issue, long id) {
    return new PostRef(issue + "/" + prefix + id);
  }

  /// The kind of a reference made by [#ref]; empty for any other.
  static Optional<CommentKind> of(PostRef ref) {
    return Stream.of(values()).filter(each -> each.form.matcher(ref.value()).matches()).findFirst();
  }

  /// The API path of the comment or review; empty for a reference of another form.
  static Optional<String> path(RepositoryIssue issue, PostRef ref) {
    return of(ref)
        .map(kind -> kind.path(issue, kind.form.matcher(ref.value()).replaceFirst("${id}")));
  }

  private String path(RepositoryIssue issue, String id) {
    var repository = "/repos/" + issue.repository();
    return switch (this) {
      case ISSUE_COMMENT -> repository + "/issues/comments/" + id;
      case REVIEW_COMMENT -> repository + "/pulls/comments/" + id;
      case REVIEW -> repository + "/pulls/" + issue.number() + "/reviews/" + id;
    };
  }
}
