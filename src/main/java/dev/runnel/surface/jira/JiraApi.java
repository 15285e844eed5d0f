package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.TrackerCalls;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// The part of Jira's REST API that Runnel calls: version 3 on Cloud, 2 on Data Center.
/// Thread-safe; blocks.
final class JiraApi {
  /// The maximum page size.
  static final int PAGE = 100;

  /// The comment property that stores a post's marker, invisible to users.
  static final String MARKER = "runnel.notice";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final JiraSite site;
  private final JsonHttp http;
  private final TrackerCalls calls;

  JiraApi(JiraConfig config, OkHttpClient http, InstantSource clock) {
    this.site = config.isCloud() ? JiraSite.CLOUD : JiraSite.DATA_CENTER;
    this.http =
        new JsonHttp(
            http,
            config.url(),
            Map.of(
                "Authorization",
                config.authorization(),
                "Accept",
                "application/json",
                "User-Agent",
                "runnel"));
    this.calls = new TrackerCalls("Jira", JiraConfig.TOKEN, JiraConfig.URL, clock);
  }

  JiraSite site() {
    return site;
  }

  Optional<String> check() {
    return calls.check(() -> http.get(site.api() + "/myself"));
  }

  /// Whether Jira responds and accepts our credential.
  boolean isAvailable() {
    return calls.isAvailable(() -> http.get(site.api() + "/myself"));
  }

  private ApiResult get(Object place, String path) {
    return calls.make(place, () -> http.get(site.api() + path));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String path(JiraIssue issue) {
    return "/issue/" + issue.key();
  }

  private static ApiResult list(ApiResult result, String member) {
    return result instanceof ApiResult.Done(var body)
        ? new ApiResult.Done(body.path(member))
        : result;
  }

  ApiResult myself() {
    return get("The account", "/myself");
  }

  /// The bot's account as it appears in an assignee field; empty when it cannot be looked up.
  Optional<String> account() {
    return myself() instanceof ApiResult.Done(var user) ? site.account(user) : Optional.empty();
  }

  private String userQuery(String id) {
    return (site == JiraSite.CLOUD ? "accountId=" : "username=") + encoded(id);
  }

  /// The account, with its groups.
  ApiResult user(String id) {
    return get("The account", "/user?expand=groups&" + userQuery(id));
  }

  /// The accounts with that name that can edit the issue. Requires permission to administer the
  /// project.
  ApiResult editors(JiraIssue issue, String id) {
    return get(
        issue,
        "/user/permission/search?permissions=EDIT_ISSUES&issueKey="
            + issue.key()
            + "&"
            + userQuery(id));
  }

  ApiResult issue(JiraIssue issue) {
    return get(issue, path(issue));
  }

  /// The issue and its changelog, newest change first.
  ApiResult history(JiraIssue issue) {
    return get(issue, path(issue) + "?expand=changelog");
  }

  /// One page of comments, newest first.
  ApiResult comments(JiraIssue issue, int page) {
    var list = "/comment?orderBy=-created&maxResults=%d&startAt=%d";
    return list(get(issue, path(issue) + list.formatted(PAGE, (page - 1) * PAGE)), "comments");
  }

  /// The first page of the query's results.
  ApiResult search(String jql) {
    var query = JSON.objectNode().put("jql", jql).put("maxResults", PAGE);
    query.putArray("fields").add("updated");
    var path = site == JiraSite.CLOUD ? "/search/jql" : "/search";
    return list(calls.make("The search", () -> http.post(site.api() + path, query)), "issues");
  }

  ApiResult comment(JiraIssue issue, JsonNode body, String marker) {
    return calls.make(
        issue, () -> http.post(site.api() + path(issue) + "/comment", said(body, marker)));
  }

  ApiResult edit(JiraIssue issue, long comment, JsonNode body, String marker) {
    return calls.make(
        issue,
        () -> http.put(site.api() + path(issue) + "/comment/" + comment, said(body, marker)));
  }

  private static ObjectNode said(JsonNode body, String marker) {
    var comment = JSON.objectNode();
    comment.set("body", body);
    var property = comment.putArray("properties").addObject().put("key", MARKER);
    property.putObject("value").put("marker", marker);
    return comment;
  }

  /// The marker of a comment; `Gone` if it has none.
  ApiResult marker(JiraIssue issue, long comment) {
    return get(issue, "/comment/" + comment + "/properties/" + MARKER);
  }

  /// Makes the account watch the issue.
  ApiResult watch(JiraIssue issue, String account) {
    return calls.make(
        issue, () -> http.post(site.api() + path(issue) + "/watchers", TextNode.valueOf(account)));
  }

  ApiResult label(JiraIssue issue, Optional<String> on, List<String> off) {
    var change = JSON.objectNode();
    var labels = change.putObject("update").putArray("labels");
    off.forEach(label -> labels.addObject().put("remove", label));
    on.ifPresent(label -> labels.addObject().put("add", label));
    return calls.make(issue, () -> http.put(site.api() + path(issue), change));
  }

  /// The transitions that are available now.
  ApiResult transitions(JiraIssue issue) {
    return list(get(issue, path(issue) + "/transitions"), "transitions");
  }

  ApiResult transition(JiraIssue issue, String id) {
    var change = JSON.objectNode();
    change.putObject("transition").put("id", id);
    return calls.make(issue, () -> http.post(site.api() + path(issue) + "/transitions", change));
  }
}
