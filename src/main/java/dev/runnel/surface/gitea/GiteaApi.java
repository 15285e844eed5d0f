package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.TrackerCalls;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// The part of the REST API of Gitea and Forgejo that Runnel calls. Thread-safe; blocks.
final class GiteaApi {
  /// The maximum page size, even if more are requested.
  static final int PAGE = 50;

  private final JsonHttp http;
  private final TrackerCalls calls;

  GiteaApi(GiteaConfig config, OkHttpClient http, InstantSource clock) {
    this.http =
        new JsonHttp(
            http,
            config.url(),
            Map.of("Authorization", "token " + config.token(), "User-Agent", "runnel"));
    this.calls = new TrackerCalls("Gitea", GiteaConfig.TOKEN, GiteaConfig.URL, clock);
  }

  Optional<String> check() {
    return calls.check(() -> http.get("/api/v1/user"));
  }

  /// Whether Gitea responds and accepts our credential.
  boolean isAvailable() {
    return calls.isAvailable(() -> http.get("/api/v1/user"));
  }

  /// The account that the token belongs to; empty when it cannot be looked up.
  Optional<String> account() {
    return calls.make("The account", () -> http.get("/api/v1/user"))
            instanceof ApiResult.Done(var user)
        ? Json.text(user, "login")
        : Optional.empty();
  }

  /// All users with write access to the repository.
  ApiResult writers(GiteaIssue issue) {
    return calls.make(issue, () -> http.get("/api/v1/repos/" + issue.repository() + "/assignees"));
  }

  ApiResult issue(GiteaIssue issue) {
    return calls.make(issue, () -> http.get(issue.issuePath()));
  }

  /// One page of a repository's issues and pull requests changed since that time.
  ApiResult issues(String repository, Instant since, int page) {
    var list = "/api/v1/repos/%s/issues?state=all&limit=%d&page=%d%s";
    return calls.make(
        repository, () -> http.get(list.formatted(repository, PAGE, page, since(since))));
  }

  ApiResult comments(GiteaIssue issue) {
    return calls.make(issue, () -> http.get(issue.issuePath() + "/comments"));
  }

  /// All comments since that time; this list has no pages.
  ApiResult comments(GiteaIssue issue, Instant since) {
    return calls.make(issue, () -> http.get(issue.issuePath() + "/comments?" + since(since)));
  }

  /// One page of an issue's timeline since that time, oldest first.
  ApiResult timeline(GiteaIssue issue, Instant since, int page) {
    return calls.make(
        issue,
        () ->
            http.get(
                issue.issuePath()
                    + "/timeline?limit=%d&page=%d%s".formatted(PAGE, page, since(since))));
  }

  ApiResult comment(GiteaIssue issue, String text) {
    return calls.make(issue, () -> http.post(issue.issuePath() + "/comments", body(text)));
  }

  ApiResult edit(GiteaIssue issue, long comment, String text) {
    return calls.make(issue, () -> http.patch(issue.commentPath(comment), body(text)));
  }

  ApiResult react(GiteaIssue issue, long comment, String emoji) {
    var reaction = JsonNodeFactory.instance.objectNode().put("content", emoji);
    return calls.make(issue, () -> http.post(issue.commentPath(comment) + "/reactions", reaction));
  }

  ApiResult labels(GiteaIssue issue) {
    return calls.make(issue, () -> http.get(issue.issuePath() + "/labels"));
  }

  ApiResult addLabel(GiteaIssue issue, String label) {
    var labels = JsonNodeFactory.instance.objectNode();
    labels.putArray("labels").add(label);
    return calls.make(issue, () -> http.post(issue.issuePath() + "/labels", labels));
  }

  ApiResult removeLabel(GiteaIssue issue, long label) {
    return calls.make(issue, () -> http.delete(issue.issuePath() + "/labels/" + label));
  }

  private static String since(Instant since) {
    return "&since=" + since.truncatedTo(ChronoUnit.SECONDS);
  }

  private static JsonNode body(String text) {
    return JsonNodeFactory.instance.objectNode().put("body", text);
  }
}
