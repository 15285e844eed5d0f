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

/// GitHub's REST API, as far as Runnel calls it. Thread-safe; blocks.
final class GitHubApi {
  /// The most comments a page can have.
  static final int PAGE = 100;

  private static final Pattern NEXT = Pattern.compile("[?&]cursor=([^&>]+)[^>]*>; *rel=\"next\"");

  private final JsonHttp http;
  private final TrackerCalls calls;
  // Empty for an account's token.
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

  /// Whose installation a repository belongs to, as a delivery said. Calls nobody.
  void learn(String repository, long installation) {
    installations.ifPresent(tokens -> tokens.learn(repository, installation));
  }

  /// Asks GitHub for something that every token may ask.
  ///
  /// @return what to do when it does not answer, in a sentence
  Optional<String> check() {
    return calls.check(() -> http.get(installations.isPresent() ? "/app" : "/rate_limit"));
  }

  /// Whether GitHub answers and accepts what we call it with.
  boolean isAvailable() {
    return calls.isAvailable(() -> http.get(installations.isPresent() ? "/app" : "/rate_limit"));
  }

  /// The account that comments are made by; empty when GitHub cannot be asked.
  Optional<String> account() {
    var path = installations.isPresent() ? "/app" : "/user";
    return calls.make("The account", () -> http.get(path)) instanceof ApiResult.Done(var body)
        ? Json.text(body, "login").or(() -> Json.text(body, "slug").map(slug -> slug + "[bot]"))
        : Optional.empty();
  }

  /// A page of a list that goes on behind a cursor.
  ///
  /// @param next the cursor of what follows
  record Listed(ApiResult result, Optional<String> next) {}

  /// What was sent by a webhook, the newest first.
  ///
  /// @param cursor empty for the newest
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

  /// One delivery, with its payload.
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

  /// A page of comments, oldest first; the first page is 1.
  ApiResult comments(IssueKey issue, int page) {
    return calls.make(issue, () -> http.get(commentsPath(issue, page)));
  }

  /// The same, only what was said or edited since.
  ApiResult comments(IssueKey issue, Instant since, int page) {
    return calls.make(issue, () -> http.get(commentsPath(issue, page) + since(since)));
  }

  /// A page of a repository's issues and pull requests that changed since, oldest change first.
  ApiResult issues(String repository, Instant since, int page) {
    var list = "/repos/%s/issues?state=all&sort=updated&direction=asc&per_page=%d&page=%d";
    return calls.make(
        repository, () -> http.get(list.formatted(repository, PAGE, page) + since(since)));
  }

  /// A page of what happened to an issue, oldest first.
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

  /// @param comment its path
  ApiResult react(IssueKey issue, String comment, String emoji) {
    var reaction = JsonNodeFactory.instance.objectNode().put("content", emoji);
    return calls.make(issue, () -> http.post(comment + "/reactions", reaction));
  }

  /// What somebody may do in a repository.
  /// See https://docs.github.com/rest/collaborators/collaborators
  ApiResult permission(IssueKey issue, String login) {
    var path = "/repos/%s/collaborators/%s/permission";
    return calls.make(issue, () -> http.get(path.formatted(issue.repository(), encoded(login))));
  }

  /// A comment or a review, as it is now.
  ApiResult read(IssueKey issue, String path) {
    return calls.make(issue, () -> http.get(path));
  }

  /// A page of the comments on lines of a pull request that were made or edited since, oldest
  /// first.
  ApiResult lineComments(IssueKey issue, Instant since, int page) {
    var list = "/comments?sort=created&direction=asc&per_page=" + PAGE + "&page=" + page;
    return calls.make(issue, () -> http.get(issue.pullPath() + list + since(since)));
  }

  /// A page of a pull request's reviews, oldest first.
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
