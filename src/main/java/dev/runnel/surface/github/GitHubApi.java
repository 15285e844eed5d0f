package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;

/// The part of GitHub's REST API that Runnel calls. Thread-safe; blocks.
final class GitHubApi {
  /// The maximum page size.
  static final int PAGE = 100;

  private static final Pattern NEXT = Pattern.compile("[?&]cursor=([^&>]+)[^>]*>; *rel=\"next\"");

  private final JsonHttp http;
  private final TrackerCalls calls;
  // Empty when a personal access token is used.
  private final Optional<InstallationTokens> installations;

  GitHubApi(GitHubConfig config, OkHttpClient http, InstantSource clock) {
    this.calls =
        new TrackerCalls("GitHub", config.identity().credential(), GitHubConfig.API_URL, clock);
    switch (config.identity()) {
      case GitHubIdentity.Token(var token) -> {
        this.installations = Optional.empty();
        this.http = new JsonHttp(http, config.apiUrl(), headers(token));
      }
      case GitHubIdentity.App(var key) -> {
        var tokens = new InstallationTokens(key, config.apiUrl(), http, clock);
        this.installations = Optional.of(tokens);
        this.http =
            new JsonHttp(
                http.newBuilder().addInterceptor(new AppAuthorization(key, tokens, clock)).build(),
                config.apiUrl(),
                headers(""));
      }
    }
  }

  static Map<String, String> headers(String token) {
    return Map.of(
        "Authorization", "Bearer " + token,
        "Accept", "application/vnd.github+json",
        "X-GitHub-Api-Version", "2022-11-28",
        "User-Agent", "runnel");
  }

  /// Remembers a repository's installation, as named by a delivery. Makes no call.
  void learn(String repository, long installation) {
    installations.ifPresent(tokens -> tokens.learn(repository, installation));
  }

  /// Makes a request that every valid token may make.
  ///
  /// @return one sentence on what to do if GitHub does not respond well; empty if it does
  Optional<String> check() {
    return calls.check(() -> http.get(installations.isPresent() ? "/app" : "/rate_limit"));
  }

  /// Whether GitHub responds and accepts our credential.
  boolean isAvailable() {
    return calls.isAvailable(() -> http.get(installations.isPresent() ? "/app" : "/rate_limit"));
  }

  /// The account that posts comments; empty when GitHub cannot be asked.
  Optional<String> account() {
    var path = installations.isPresent() ? "/app" : "/user";
    return calls.make("The account", () -> http.get(path)) instanceof ApiResult.Done(var body)
        ? Json.text(body, "login").or(() -> Json.text(body, "slug").map(slug -> slug + "[bot]"))
        : Optional.empty();
  }

  /// One page of a list with cursor pagination.
  ///
  /// @param next the cursor of the next page
  record Listed(ApiResult result, Optional<String> next) {}

  /// One page of a webhook's deliveries, newest first.
  ///
  /// @param cursor empty for the first page
  Listed deliveries(HookPath hook, String cursor) {
    var next = new ArrayList<String>();
    var path = hook.path() + "/deliveries?per_page=" + PAGE;
    var result =
        calls.make(
            hook.path(),
            () -> {
              var answer = http.get(cursor.isEmpty() ? path : path + "&cursor=" + cursor);
              answer.header("Link").flatMap(GitHubApi::next).ifPresent(next::add);
              return answer;
            });
    return new Listed(result, next.stream().findFirst());
  }

  private static Optional<String> next(String link) {
    return NEXT.matcher(link).results().map(each -> each.group(1)).findFirst();
  }

  /// One webhook delivery, with its payload.
  ApiResult delivery(HookPath hook, long id) {
    return calls.make(hook.path(), () -> http.get(hook.path() + "/deliveries/" + id));
  }

  ApiResult comment(IssueKey issue, String body) {
    return calls.make(issue, () -> http.post(issue.issuePath() + "/comments", body(body)));
  }

  ApiResult edit(IssueKey issue, long comment, String body) {
    return calls.make(issue, () -> http.patch(issue.commentPath(comment), body(body)));
  }

  ApiResult issue(IssueKey issue) {
    return calls.make(issue, () -> http.get(issue.issuePath()));
  }

  /// One page of comments, oldest first; the first page is 1.
  ApiResult comments(IssueKey issue, int page) {
    return calls.make(issue, () -> http.get(commentsPath(issue, page)));
  }

  /// One page of the comments written or edited since that time.
  ApiResult comments(IssueKey issue, Instant since, int page) {
    return calls.make(issue, () -> http.get(commentsPath(issue, page) + since(since)));
  }

  /// One page of a repository's issues and pull requests changed since that time, oldest change
  /// first.
  ApiResult issues(String repository, Instant since, int page) {
    var list = "/repos/%s/issues?state=all&sort=updated&direction=asc&per_page=%d&page=%d";
    return calls.make(
        repository, () -> http.get(list.formatted(repository, PAGE, page) + since(since)));
  }

  /// One page of an issue's events, oldest first.
  ApiResult events(IssueKey issue, int page) {
    return calls.make(
        issue, () -> http.get(issue.issuePath() + "/events?per_page=" + PAGE + "&page=" + page));
  }

  private static String since(Instant since) {
    return "&since=" + since.truncatedTo(ChronoUnit.SECONDS);
  }

  ApiResult labels(IssueKey issue) {
    return calls.make(issue, () -> http.get(issue.issuePath() + "/labels?per_page=" + PAGE));
  }

  ApiResult addLabel(IssueKey issue, String label) {
    var labels = JsonNodeFactory.instance.objectNode();
    labels.putArray("labels").add(label);
    return calls.make(issue, () -> http.post(issue.issuePath() + "/labels", labels));
  }

  ApiResult removeLabel(IssueKey issue, String label) {
    return calls.make(issue, () -> http.delete(issue.issuePath() + "/labels/" + encoded(label)));
  }

  /// @param comment the comment's API path
  ApiResult react(IssueKey issue, String comment, String emoji) {
    var reaction = JsonNodeFactory.instance.objectNode().put("content", emoji);
    return calls.make(issue, () -> http.post(comment + "/reactions", reaction));
  }

  /// A user's permission in a repository. See
  /// https://docs.github.com/rest/collaborators/collaborators
  ApiResult permission(IssueKey issue, String login) {
    var path = "/repos/%s/collaborators/%s/permission";
    return calls.make(issue, () -> http.get(path.formatted(issue.repository(), encoded(login))));
  }

  /// A comment or a review in its current state.
  ApiResult read(IssueKey issue, String path) {
    return calls.make(issue, () -> http.get(path));
  }

  /// One page of a pull request's review comments (on lines of the diff) written or edited since
  /// that time, oldest first.
  ApiResult lineComments(IssueKey issue, Instant since, int page) {
    var list = "/comments?sort=created&direction=asc&per_page=" + PAGE + "&page=" + page;
    return calls.make(issue, () -> http.get(issue.pullPath() + list + since(since)));
  }

  /// One page of a pull request's reviews, oldest first.
  ApiResult reviews(IssueKey issue, int page) {
    var list = "/reviews?per_page=" + PAGE + "&page=" + page;
    return calls.make(issue, () -> http.get(issue.pullPath() + list));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String commentsPath(IssueKey issue, int page) {
    return issue.issuePath() + "/comments?per_page=" + PAGE + "&page=" + page;
  }

  private static JsonNode body(String text) {
    return JsonNodeFactory.instance.objectNode().put("body", text);
  }
}
