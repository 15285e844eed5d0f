package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.PostRef;
import dev.runnel.surface.kit.Json;
import java.time.Instant;
import java.util.Optional;

/// The kinds of comments on GitHub, each with its webhook event.
enum CommentKind {
  IN_A_COMMENT("issue_comment", "comment", "created"),
  ON_A_LINE("pull_request_review_comment", "comment", "created"),
  IN_A_REVIEW("pull_request_review", "review", "submitted");

  private final String event;
  private final String member;
  private final String first;

  CommentKind(String event, String member, String first) {
    this.event = event;
    this.member = member;
    this.first = first;
  }

  /// The event's name in `X-GitHub-Event`.
  String event() {
    return event;
  }

  static Optional<CommentKind> of(String event) {
    for (var each : values()) {
      if (each.event.equals(event)) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }

  /// The comment or review in a payload of the event.
  JsonNode in(JsonNode payload) {
    return payload.path(member);
  }

  /// When it was written, by GitHub's clock.
  Optional<Instant> at(JsonNode payload) {
    return Json.instant(in(payload), this == IN_A_REVIEW ? "submitted_at" : "created_at");
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
          case IN_A_COMMENT -> "comment:";
          case ON_A_LINE -> "line-comment:";
          case IN_A_REVIEW -> "review:";
        };
    return kind + id + ":" + action;
  }

  PostRef ref(IssueKey key, long id) {
    return switch (this) {
      case IN_A_COMMENT -> key.comment(id);
      case ON_A_LINE -> key.lineComment(id);
      case IN_A_REVIEW -> key.review(id);
    };
  }
}
