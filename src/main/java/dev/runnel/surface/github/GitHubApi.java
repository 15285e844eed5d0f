package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.RestApi;
import dev.runnel.surface.kit.TrackerCalls;
import dev.runnel.surface.tracker.IssueComments;
import dev.runnel.surface.tracker.RepositoryComments;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;

/// The part of GitHub's REST API that Runnel calls. Thread-safe; blocks.
final class GitHubApi extends RepositoryComments {
  /// The maximum page size.
  static final int PAGE = 100;

  private static final Pattern NEXT =
      Pattern.compile(
          "<[^<>?]*+\\?(?:(?!cursor=)[^&<>]*+&)*+cursor=([^&<>]++)[^<>]*+>; *rel=\"next\"");

  private final RestApi rest;
  private final BotAccount account;
  // Empty when a personal access token is used.
  private final Optional<InstallationTokens> installations;

  GitHubApi(GitHubConfig config, OkHttpClient client, InstantSource clock) {
    var url = config.apiUrl();
    var http =
        switch (config.identity()) {
          case GitHubIdentity.Token(var token) -> {
            this.installations = Optional.empty();
            yield new JsonHttp(client, url, headers(token));
          }
          case GitHubIdentity.App(var key) -> {
            var tokens = new InstallationTokens(key, url, client, clock);
            this.installations = Optional.of(tokens);
            var authorizing = client.newBuilder();
            authorizing.addInterceptor(new AppAuthorization(key, tokens, clock));
            yield new JsonHttp(authorizing.build(), url, headers(""));
          }
        };
    this.rest =
        RestApi.of(
            "GitHub",
            config.identity().credential(),
            GitHubConfig.API_URL,
            clock,
            http,
            installations.isPresent() ? "/app" : "/rate_limit");
    this.account = rest.account(installations.isPresent() ? "/app" : "/user", GitHubApi::name);
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

  TrackerCalls calls() {
    return rest.calls();
  }

  @Override
  protected RestApi rest() {
    return rest;
  }

  @Override
  protected BotAccount account() {
    return account;
  }

  private static Optional<String> name(JsonNode account) {
    return Json.text(account, "login")
        .or(() -> Json.text(account, "slug").map(slug -> slug + "[bot]"));
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
        rest.calls()
            .make(
                hook.path(),
                () -> {
                  var answer =
                      rest.http().get(cursor.isEmpty() ? path : path + "&cursor=" + cursor);
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
    return rest.get(hook.path(), hook.path() + "/deliveries/" + id);
  }

  @Override
  protected String path(RepositoryIssue issue) {
    return "/repos/" + issue.repository() + "/issues/" + issue.number();
  }

  private static String pullPath(RepositoryIssue issue) {
    return "/repos/" + issue.repository() + "/pulls/" + issue.number();
  }

  private static String page(int page) {
    return "?per_page=" + PAGE + "&page=" + page;
  }

  private static String since(Instant since) {
    return "&since=" + since.truncatedTo(ChronoUnit.SECONDS);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  ApiResult issue(RepositoryIssue issue) {
    return rest.get(issue, path(issue));
  }

  /// One page of comments, oldest first; the first page is 1.
  ApiResult comments(RepositoryIssue issue, int page) {
    return rest.get(issue, path(issue) + "/comments" + page(page));
  }

  /// One page of a repository's issues and pull requests changed since that time, oldest change
  /// first.
  ApiResult issues(String repository, Instant since, int page) {
    var list = "/repos/%s/issues%s&state=all&sort=updated&direction=asc";
    return rest.get(repository, list.formatted(repository, page(page)) + since(since));
  }

  /// One page of an issue's events, oldest first.
  ApiResult events(RepositoryIssue issue, int page) {
    return rest.get(issue, path(issue) + "/events" + page(page));
  }

  /// A user's permission in a repository. See
  /// https://docs.github.com/rest/collaborators/collaborators
  ApiResult permission(RepositoryIssue issue, String login) {
    var path = "/repos/%s/collaborators/%s/permission";
    return rest.get(issue, path.formatted(issue.repository(), encoded(login)));
  }

  /// An account's membership in a team. See https://docs.github.com/rest/teams/members
  ///
  /// @param issue selects the installation whose token is used
  ApiResult membership(RepositoryIssue issue, String organization, String team, String login) {
    return rest.get(
        issue,
        "/orgs/%s/teams/%s/memberships/%s"
            .formatted(encoded(organization), encoded(team), encoded(login)));
  }

  /// An account. See https://docs.github.com/rest/users/users
  ///
  /// @param issue selects the installation whose token is used
  ApiResult user(RepositoryIssue issue, String login) {
    return rest.get(issue, "/users/" + encoded(login));
  }

  /// A comment or a review in its current state.
  ApiResult comment(RepositoryIssue issue, PostRef comment) {
    return rest.get(issue, path(issue, comment));
  }

  /// One page of a pull request's review comments (on lines of the diff) written or edited since
  /// that time, oldest first.
  ApiResult lineComments(RepositoryIssue issue, Instant since, int page) {
    var order = "&sort=created&direction=asc";
    return rest.get(issue, pullPath(issue) + "/comments" + page(page) + order + since(since));
  }

  /// One page of a pull request's reviews, oldest first.
  ApiResult reviews(RepositoryIssue issue, int page) {
    return rest.get(issue, pullPath(issue) + "/reviews" + page(page));
  }

  @Override
  protected String path(RepositoryIssue issue, PostRef comment) {
    return CommentKind.path(issue, comment).orElseThrow();
  }

  /// Oldest first.
  @Override
  public ApiResult since(RepositoryIssue issue, Instant since, int page) {
    return rest.get(issue, path(issue) + "/comments" + page(page) + since(since));
  }

  @Override
  public int pageSize() {
    return PAGE;
  }

  @Override
  public ApiResult label(RepositoryIssue issue, Optional<String> on, List<String> off) {
    var labels = path(issue) + "/labels";
    return IssueComments.relabel(
        rest.get(issue, labels + "?per_page=" + PAGE),
        on,
        off,
        old -> rest.delete(issue, labels + "/" + encoded(old.path("name").asText())),
        name -> rest.post(issue, labels, Json.list("labels", name)));
  }

  /// Also true for a pull request review comment; a review as a whole accepts no reactions.
  @Override
  public boolean isComment(PostRef ref) {
    return CommentKind.of(ref).filter(kind -> kind != CommentKind.REVIEW).isPresent();
  }
}
