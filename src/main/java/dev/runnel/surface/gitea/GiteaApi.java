package dev.runnel.surface.gitea;

import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Credential;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.RestApi;
import dev.runnel.surface.kit.TrackerCalls;
import dev.runnel.surface.tracker.IssueComments;
import dev.runnel.surface.tracker.RepositoryComments;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// The part of the REST API of Gitea and Forgejo that Runnel calls. Thread-safe; blocks.
final class GiteaApi extends RepositoryComments {
  /// The maximum page size, even if more are requested.
  static final int PAGE = 50;

  private static final String REPOSITORIES = "/api/v1/repos/";
  private static final String ACCOUNT = "/api/v1/user";

  private final RestApi rest;
  private final BotAccount account;

  GiteaApi(GiteaConfig config, OkHttpClient client, InstantSource clock) {
    var headers = Map.of("Authorization", "token " + config.token(), "User-Agent", "runnel");
    this.rest =
        RestApi.of(
            "Gitea",
            Credential.token(GiteaConfig.TOKEN),
            GiteaConfig.URL,
            clock,
            new JsonHttp(client, config.url(), headers),
            ACCOUNT);
    this.account = rest.account(ACCOUNT, user -> Json.text(user, "login"));
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

  @Override
  protected String path(RepositoryIssue issue) {
    return REPOSITORIES + issue.repository() + "/issues/" + issue.number();
  }

  @Override
  protected String path(RepositoryIssue issue, PostRef comment) {
    return REPOSITORIES + issue.repository() + "/issues/comments/" + IssueComments.id(comment);
  }

  private static String since(Instant since) {
    return "&since=" + since.truncatedTo(ChronoUnit.SECONDS);
  }

  /// All users with write access to the repository.
  ApiResult writers(RepositoryIssue issue) {
    return rest.get(issue, REPOSITORIES + issue.repository() + "/assignees");
  }

  ApiResult issue(RepositoryIssue issue) {
    return rest.get(issue, path(issue));
  }

  /// One page of a repository's issues and pull requests changed since that time.
  ApiResult issues(String repository, Instant since, int page) {
    var list = "/issues?state=all&limit=%d&page=%d".formatted(PAGE, page);
    return rest.get(repository, REPOSITORIES + repository + list + since(since));
  }

  ApiResult comments(RepositoryIssue issue) {
    return rest.get(issue, path(issue) + "/comments");
  }

  /// All comments since that time; this list has no pages.
  @Override
  public ApiResult since(RepositoryIssue issue, Instant since, int page) {
    return rest.get(issue, path(issue) + "/comments?" + since(since));
  }

  /// One page of an issue's timeline since that time, oldest first.
  ApiResult timeline(RepositoryIssue issue, Instant since, int page) {
    var list = "/timeline?limit=%d&page=%d".formatted(PAGE, page);
    return rest.get(issue, path(issue) + list + since(since));
  }

  /// Gitea removes labels by their ids, and adds only labels that the repository has.
  @Override
  public ApiResult label(RepositoryIssue issue, Optional<String> on, List<String> off) {
    var labels = path(issue) + "/labels";
    var now = rest.get(issue, labels);
    return IssueComments.relabel(
        now,
        on,
        off,
        old -> Json.id(old, "id").map(id -> rest.delete(issue, labels + "/" + id)).orElse(now),
        name -> rest.post(issue, labels, Json.list("labels", name)));
  }
}
