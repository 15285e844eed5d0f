package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Credential;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.RestApi;
import dev.runnel.surface.kit.TrackerCalls;
import dev.runnel.surface.tracker.IssueComments;
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
final class GitLabApi implements IssueComments<GitLabIssue> {
  /// The maximum page size.
  static final int PAGE = 100;

  private static final String THE_ACCOUNT = "The account";
  private static final String ACCOUNT = "/api/v4/user";

  private final RestApi rest;
  private final BotAccount account;

  GitLabApi(GitLabConfig config, OkHttpClient client, InstantSource clock) {
    var headers = Map.of("PRIVATE-TOKEN", config.token(), "User-Agent", "runnel");
    this.rest =
        RestApi.of(
            "GitLab",
            Credential.token(GitLabConfig.TOKEN),
            GitLabConfig.URL,
            clock,
            new JsonHttp(client, config.url(), headers),
            ACCOUNT);
    this.account = rest.account(ACCOUNT, user -> Json.text(user, "username"));
  }

  TrackerCalls calls() {
    return rest.calls();
  }

  /// The account that the token belongs to.
  BotAccount account() {
    return account;
  }

  private static String path(String project) {
    return "/api/v4/projects/" + project.replace("/", "%2F");
  }

  private static String path(GitLabIssue issue) {
    return path(issue.project()) + "/" + issue.kind().path() + "/" + issue.number();
  }

  /// The accounts with that user name: one or none.
  ApiResult users(String username) {
    var name = URLEncoder.encode(username, StandardCharsets.UTF_8);
    return rest.get(THE_ACCOUNT, "/api/v4/users?username=" + name);
  }

  ApiResult user(long id) {
    return rest.get(THE_ACCOUNT, "/api/v4/users/" + id);
  }

  /// The account's membership in the project, including through groups.
  ApiResult member(GitLabIssue issue, long user) {
    return rest.get(issue.name(), path(issue.project()) + "/members/all/" + user);
  }

  ApiResult issue(GitLabIssue issue) {
    return rest.get(issue.name(), path(issue));
  }

  /// One page of a project's issues or merge requests changed since that time, oldest change first.
  ApiResult changed(String project, GitLabIssue.Kind kind, Instant since, int page) {
    var list = "/%s?updated_after=%s&order_by=updated_at&sort=asc&scope=all&per_page=%d&page=%d";
    var after = since.truncatedTo(ChronoUnit.SECONDS);
    return rest.get(project, path(project) + list.formatted(kind.path(), after, PAGE, page));
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
    return rest.get(issue.name(), path(issue) + list + "per_page=" + PAGE + "&page=" + page);
  }

  private static String path(GitLabIssue issue, PostRef note) {
    return path(issue) + "/notes/" + IssueComments.id(note);
  }

  /// Adds a note; in an internal conversation, an internal note.
  @Override
  public ApiResult add(GitLabIssue issue, String text) {
    var note = Json.object().put("body", text);
    if (issue.internal()) {
      note.put("internal", true);
    }
    return rest.post(issue.name(), path(issue) + "/notes", note);
  }

  @Override
  public ApiResult edit(GitLabIssue issue, PostRef note, String text) {
    return rest.put(issue.name(), path(issue, note), Json.object().put("body", text));
  }

  /// GitLab cannot filter notes by time; the newest come first.
  @Override
  public ApiResult since(GitLabIssue issue, Instant since, int page) {
    return notes(issue, page);
  }

  @Override
  public int pageSize() {
    return PAGE;
  }

  @Override
  public ApiResult react(GitLabIssue issue, PostRef note) {
    var award = Json.object().put("name", "eyes");
    return rest.post(issue.name(), path(issue, note) + "/award_emoji", award);
  }

  /// Everybody sees labels, so an internal conversation sets none.
  @Override
  public ApiResult label(GitLabIssue issue, Optional<String> on, List<String> off) {
    if (issue.internal()) {
      return issue(issue);
    }
    var change = Json.object().put("remove_labels", String.join(",", off));
    on.ifPresent(label -> change.put("add_labels", label));
    return rest.put(issue.name(), path(issue), change);
  }

  @Override
  public boolean mayBeOurs(JsonNode note) {
    return Json.text(note.path("author"), "username").filter(account::mayBe).isPresent();
  }
}
