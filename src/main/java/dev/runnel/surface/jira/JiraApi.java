package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.surface.jira.JiraConfig.CommentVisibility;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Credential;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.RestApi;
import dev.runnel.surface.kit.TrackerCalls;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import okhttp3.OkHttpClient;

/// The part of Jira's REST API that Runnel calls: version 3 on Cloud, 2 on Data Center.
/// Thread-safe; blocks.
final class JiraApi {
  /// The maximum page size.
  static final int PAGE = 100;

  /// The comment property that stores a post's marker, invisible to users.
  static final String MARKER = "runnel.notice";

  /// The comment property with which Jira Service Management hides a comment from customers. Other
  /// projects ignore it.
  private static final String INTERNAL = "sd.public.comment";

  private static final String THE_ACCOUNT = "The account";
  private static final String THE_SEARCH = "The search";
  private static final String ACCOUNT = "/myself";

  private final JiraSite site;
  private final RestApi rest;
  private final CommentVisibility comments;
  private final BotAccount account = new BotAccount(this::accountName);

  JiraApi(JiraConfig config, OkHttpClient client, InstantSource clock) {
    this.site = config.isCloud() ? JiraSite.CLOUD : JiraSite.DATA_CENTER;
    this.comments = config.comments();
    var headers =
        Map.of(
            "Authorization", config.authorization(),
            "Accept", "application/json",
            "User-Agent", "runnel");
    this.rest =
        RestApi.of(
            "Jira",
            Credential.token(JiraConfig.TOKEN),
            JiraConfig.URL,
            clock,
            new JsonHttp(client, URI.create(config.url() + site.api()), headers),
            ACCOUNT);
  }

  /// Whether an answer would be visible to people who cannot read the comment.
  boolean isHidden(JsonNode comment) {
    var isPublic = comment.path("jsdPublic");
    return Json.isThere(comment, "visibility")
        || (comments == CommentVisibility.PUBLIC && isPublic.isBoolean() && !isPublic.asBoolean());
  }

  JiraSite site() {
    return site;
  }

  TrackerCalls calls() {
    return rest.calls();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String path(JiraIssue issue) {
    return "/issue/" + issue.key();
  }

  private static ApiResult list(ApiResult result, String member) {
    return result.map(body -> body.path(member));
  }

  ApiResult myself() {
    return rest.get(THE_ACCOUNT, ACCOUNT);
  }

  /// The account that the token belongs to.
  BotAccount account() {
    return account;
  }

  /// The bot's account as it appears in an assignee field; empty when it cannot be looked up.
  Optional<String> accountName() {
    return myself() instanceof ApiResult.Done(var user) ? site.account(user) : Optional.empty();
  }

  private String userQuery(String id) {
    return (site == JiraSite.CLOUD ? "accountId=" : "username=") + encoded(id);
  }

  /// The account, with its groups.
  ApiResult user(String id) {
    return rest.get(THE_ACCOUNT, "/user?expand=groups&" + userQuery(id));
  }

  /// The accounts with that name that can edit the issue. Requires permission to administer the
  /// project.
  ApiResult editors(JiraIssue issue, String id) {
    return rest.get(
        issue,
        "/user/permission/search?permissions=EDIT_ISSUES&issueKey="
            + issue.key()
            + "&"
            + userQuery(id));
  }

  ApiResult issue(JiraIssue issue) {
    return rest.get(issue, path(issue));
  }

  /// The issue and its changelog, newest change first.
  ApiResult history(JiraIssue issue) {
    return rest.get(issue, path(issue) + "?expand=changelog");
  }

  /// One page of comments, newest first.
  ApiResult comments(JiraIssue issue, int page) {
    var list = "/comment?orderBy=-created&maxResults=%d&startAt=%d";
    return list(rest.get(issue, path(issue) + list.formatted(PAGE, (page - 1) * PAGE)), "comments");
  }

  /// The pages of the query's results, each with the time of the last change. They must be read in
  /// order, because on Cloud each page names the next one.
  IntFunction<ApiResult> search(String jql) {
    var next = new ArrayList<String>();
    return page -> {
      var query = Json.object().put("jql", jql).put("maxResults", PAGE);
      query.putArray("fields").add("updated");
      if (site == JiraSite.DATA_CENTER) {
        query.put("startAt", (page - 1) * PAGE);
        return list(rest.post(THE_SEARCH, "/search", query), "issues");
      }
      if (page > 1 && next.isEmpty()) {
        return new ApiResult.Done(JsonNodeFactory.instance.arrayNode());
      }
      if (!next.isEmpty()) {
        query.put("nextPageToken", next.removeLast());
      }
      var result = rest.post(THE_SEARCH, "/search/jql", query);
      result.found().flatMap(body -> Json.text(body, "nextPageToken")).ifPresent(next::add);
      return list(result, "issues");
    };
  }

  ApiResult comment(JiraIssue issue, JsonNode body, String marker) {
    return rest.post(issue, path(issue) + "/comment", commentBody(body, marker));
  }

  ApiResult edit(JiraIssue issue, long comment, JsonNode body, String marker) {
    return rest.put(issue, path(issue) + "/comment/" + comment, commentBody(body, marker));
  }

  private ObjectNode commentBody(JsonNode body, String marker) {
    var comment = Json.object();
    comment.set("body", body);
    var properties = comment.putArray("properties");
    properties.addObject().put("key", MARKER).putObject("value").put("marker", marker);
    if (comments == CommentVisibility.INTERNAL) {
      properties.addObject().put("key", INTERNAL).putObject("value").put("internal", true);
    }
    return comment;
  }

  /// The marker of a comment; `Gone` if it has none.
  ApiResult marker(JiraIssue issue, long comment) {
    return rest.get(issue, "/comment/" + comment + "/properties/" + MARKER);
  }

  /// Makes the account watch the issue.
  ApiResult watch(JiraIssue issue, String account) {
    return rest.post(issue, path(issue) + "/watchers", TextNode.valueOf(account));
  }

  ApiResult label(JiraIssue issue, Optional<String> on, List<String> off) {
    var change = Json.object();
    var labels = change.putObject("update").putArray("labels");
    off.forEach(label -> labels.addObject().put("remove", label));
    on.ifPresent(label -> labels.addObject().put("add", label));
    return rest.put(issue, path(issue), change);
  }

  /// The transitions that are available now.
  ApiResult transitions(JiraIssue issue) {
    return list(rest.get(issue, path(issue) + "/transitions"), "transitions");
  }

  ApiResult transition(JiraIssue issue, String id) {
    var change = Json.object();
    change.putObject("transition").put("id", id);
    return rest.post(issue, path(issue) + "/transitions", change);
  }
}
