package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.TrackerCalls;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// The part of GitLab's REST API that Runnel calls. Thread-safe; blocks.
final class GitLabApi {
  /// The maximum page size.
  static final int PAGE = 100;

  private final JsonHttp http;
  private final TrackerCalls calls;

  GitLabApi(GitLabConfig config, OkHttpClient http, InstantSource clock) {
    this.http =
        new JsonHttp(
            http, config.url(), Map.of("PRIVATE-TOKEN", config.token(), "User-Agent", "runnel"));
    this.calls = new TrackerCalls("GitLab", GitLabConfig.TOKEN, GitLabConfig.URL, clock);
  }

  Optional<String> check() {
    return calls.check(() -> http.get("/api/v4/user"));
  }

  /// Whether GitLab responds and accepts our credential.
  boolean isAvailable() {
    return calls.isAvailable(() -> http.get("/api/v4/user"));
  }

  /// The account that the token belongs to; empty when it cannot be looked up.
  Optional<String> account() {
    return calls.make("The account", () -> http.get("/api/v4/user"))
            instanceof ApiResult.Done(var user)
        ? Json.text(user, "username")
        : Optional.empty();
  }

  /// The accounts with that user name: one or none.
  ApiResult users(String username) {
    var name = URLEncoder.encode(username, StandardCharsets.UTF_8);
    return calls.make("The account", () -> http.get("/api/v4/users?username=" + name));
  }

  ApiResult user(long id) {
    return calls.make("The account", () -> http.get("/api/v4/users/" + id));
  }

  /// The account's membership in the project, including through groups.
  ApiResult member(GitLabIssue issue, long user) {
    return calls.make(
        issue.name(),
        () -> http.get(GitLabIssue.projectPath(issue.project()) + "/members/all/" + user));
  }

  ApiResult issue(GitLabIssue issue) {
    return calls.make(issue.name(), () -> http.get(issue.path()));
  }

  /// One page of a project's issues or merge requests changed since that time, oldest change first.
  ApiResult changed(String project, GitLabIssue.Kind kind, Instant since, int page) {
    var list = "/%s?updated_after=%s&order_by=updated_at&sort=asc&scope=all&per_page=%d&page=%d";
    return calls.make(
        project,
        () ->
            http.get(
                GitLabIssue.projectPath(project)
                    + list.formatted(
                        kind.path(), since.truncatedTo(ChronoUnit.SECONDS), PAGE, page)));
  }

  /// One page of notes, newest first.
  ApiResult notes(GitLabIssue issue, int page) {
    return list(issue, "/notes?sort=desc&order_by=created_at&", page);
  }

  /// One page of label events, oldest first.
  ApiResult labelEvents(GitLabIssue issue, int page) {
    return list(issue, "/resource_label_events?", page);
  }

  /// One page of state events (closed, reopened), oldest first.
  ApiResult stateEvents(GitLabIssue issue, int page) {
    return list(issue, "/resource_state_events?", page);
  }

  private ApiResult list(GitLabIssue issue, String list, int page) {
    return calls.make(
        issue.name(), () -> http.get(issue.path() + list + "per_page=" + PAGE + "&page=" + page));
  }

  /// Adds a note; in an internal conversation, an internal note.
  ApiResult note(GitLabIssue issue, String text) {
    var note = JsonNodeFactory.instance.objectNode().put("body", text);
    if (issue.internal()) {
      note.put("internal", true);
    }
    return calls.make(issue.name(), () -> http.post(issue.path() + "/notes", note));
  }

  ApiResult edit(GitLabIssue issue, long note, String text) {
    var body = JsonNodeFactory.instance.objectNode().put("body", text);
    return calls.make(issue.name(), () -> http.put(issue.path() + "/notes/" + note, body));
  }

  ApiResult award(GitLabIssue issue, long note, String emoji) {
    var award = JsonNodeFactory.instance.objectNode().put("name", emoji);
    return calls.make(
        issue.name(), () -> http.post(issue.path() + "/notes/" + note + "/award_emoji", award));
  }

  ApiResult label(GitLabIssue issue, Optional<String> on, List<String> off) {
    var change = JsonNodeFactory.instance.objectNode().put("remove_labels", String.join(",", off));
    on.ifPresent(label -> change.put("add_labels", label));
    return calls.make(issue.name(), () -> http.put(issue.path(), change));
  }
}
