package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Credential;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.RestApi;
import dev.runnel.surface.kit.TrackerCalls;
import dev.runnel.surface.tracker.IssueComments;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

/// The part of the REST API of Azure DevOps that Runnel calls. Thread-safe; blocks.
final class AzureApi implements IssueComments<WorkItem> {
  /// The page size of teams, members and updates.
  static final int PAGE = 100;

  /// The number of comments that are read: the newest ones.
  static final int MAX_COMMENTS = 200;

  private static final String ACCOUNT = "/_apis/connectionData";
  private static final String VERSION = "api-version=7.1";
  // The first version with comments in Markdown.
  private static final String COMMENTS_VERSION = "api-version=7.2-preview.4";
  private static final String REACTIONS_VERSION = "api-version=7.2-preview.1";
  private static final String TAGS = "System.Tags";

  private final URI url;
  private final RestApi rest;
  private final BotAccount accountId;
  private final BotAccount accountName;

  AzureApi(AzureConfig config, OkHttpClient client, InstantSource clock) {
    this.url = config.url();
    var credential =
        Base64.getEncoder().encodeToString((":" + config.token()).getBytes(StandardCharsets.UTF_8));
    var headers =
        Map.of(
            "Authorization",
            "Basic " + credential,
            "User-Agent",
            "runnel",
            // Otherwise the response to a bad token is a sign-in page with a successful status.
            "X-TFS-FedAuthRedirect",
            "Suppress");
    this.rest =
        RestApi.of(
            AzureDevOps.NAME,
            Credential.token(AzureConfig.TOKEN),
            AzureConfig.URL,
            clock,
            new JsonHttp(client, config.url(), headers),
            ACCOUNT);
    this.accountId = rest.account(ACCOUNT, data -> Json.text(user(data), "id"));
    this.accountName =
        rest.account(
            ACCOUNT, data -> Json.text(user(data).path("properties").path("Account"), "$value"));
  }

  private static JsonNode user(JsonNode connection) {
    return connection.path("authenticatedUser");
  }

  TrackerCalls calls() {
    return rest.calls();
  }

  /// Looks up the account that the token belongs to, unless it is known.
  void learnAccount() {
    accountId.learn();
    accountName.learn();
  }

  /// Whether it is the account that the token belongs to. Never blocks.
  boolean isOurs(Identity identity) {
    return identity.id().filter(accountId::is).isPresent() || accountName.is(identity.uniqueName());
  }

  /// @param id a GUID
  boolean isOurId(String id) {
    return accountId.is(id);
  }

  /// A page that people open.
  ///
  /// @param fragment the place in it; may be empty
  URI page(WorkItem item, String fragment) {
    return URI.create(
        "%s/%s/_workitems/edit/%d%s"
            .formatted(url, item.projectSegment(), item.number(), fragment));
  }

  private static String comments(WorkItem item) {
    return "/%s/_apis/wit/workItems/%d/comments".formatted(item.projectSegment(), item.number());
  }

  private static String comment(WorkItem item, long id) {
    return comments(item) + "/" + id;
  }

  private static String path(WorkItem item) {
    return "/%s/_apis/wit/workitems/%d".formatted(item.projectSegment(), item.number());
  }

  private static ApiResult list(ApiResult result, String member) {
    return result.map(body -> body.path(member));
  }

  private static String paged(int page) {
    return "?$top=%d&$skip=%d&%s".formatted(PAGE, (page - 1) * PAGE, VERSION);
  }

  ApiResult item(WorkItem item) {
    return rest.get(item, path(item) + "?" + VERSION);
  }

  /// A work item of any project, by its number.
  ApiResult item(int number) {
    return rest.get("Work item " + number, "/_apis/wit/workitems/" + number + "?" + VERSION);
  }

  /// One page of the changes of a work item, oldest first.
  ApiResult updates(WorkItem item, int page) {
    return list(rest.get(item, path(item) + "/updates" + paged(page)), "value");
  }

  /// One change of a work item.
  ApiResult update(WorkItem item, long number) {
    return rest.get(item, path(item) + "/updates/" + number + "?" + VERSION);
  }

  /// A work item as a change left it.
  ///
  /// @param revision the `rev` of the change
  ApiResult revision(WorkItem item, long revision) {
    return rest.get(item, path(item) + "/revisions/" + revision + "?" + VERSION);
  }

  ApiResult comment(WorkItem item, PostRef comment) {
    return rest.get(item, comment(item, IssueComments.id(comment)) + "?" + COMMENTS_VERSION);
  }

  /// The newest comments, newest first.
  ApiResult comments(WorkItem item, int most) {
    var list = "?$top=%d&order=desc&%s".formatted(most, COMMENTS_VERSION);
    return list(rest.get(item, comments(item) + list), "comments");
  }

  /// One page of a project's teams.
  ApiResult teams(WorkItem item, int page) {
    var teams = "/_apis/projects/%s/teams".formatted(item.projectSegment());
    return list(rest.get(item.project(), teams + paged(page)), "value");
  }

  /// One page of a team's members.
  ///
  /// @param team its id
  ApiResult members(WorkItem item, String team, int page) {
    var members =
        "/_apis/projects/%s/teams/%s/members"
            .formatted(item.projectSegment(), URLEncoder.encode(team, StandardCharsets.UTF_8));
    return list(rest.get(item.project(), members + paged(page)), "value");
  }

  /// The numbers of the work items that a query finds.
  ApiResult query(String wiql, int most) {
    var path = "/_apis/wit/wiql?timePrecision=true&$top=%d&%s".formatted(most, VERSION);
    return list(rest.post("The query", path, Json.object().put("query", wiql)), "workItems");
  }

  @Override
  public ApiResult add(WorkItem item, String text) {
    return rest.post(
        item,
        comments(item) + "?format=markdown&" + COMMENTS_VERSION,
        Json.object().put("text", text));
  }

  @Override
  public ApiResult edit(WorkItem item, PostRef comment, String text) {
    return rest.patch(
        item,
        comment(item, IssueComments.id(comment)) + "?format=markdown&" + COMMENTS_VERSION,
        Json.object().put("text", text));
  }

  /// The newest comments, on one page: there are not more of them since a notice.
  @Override
  public ApiResult since(WorkItem item, Instant since, int page) {
    return comments(item, MAX_COMMENTS)
        .map(
            newest -> {
              var named = JsonNodeFactory.instance.arrayNode();
              for (var each : newest) {
                if (each instanceof ObjectNode comment) {
                  ObjectNode copy = comment.deepCopy();
                  named.add(copy.set("body", comment.path("text")));
                }
              }
              return named;
            });
  }

  @Override
  public Optional<PostRef> ref(WorkItem item, JsonNode comment) {
    // The documentation has the one in examples, the other in definitions.
    return Json.id(comment, "id")
        .or(() -> Json.id(comment, "commentId"))
        .map(id -> IssueComments.ref(item, id));
  }

  @Override
  public ApiResult react(WorkItem item, PostRef comment) {
    return rest.put(
        item,
        comment(item, IssueComments.id(comment)) + "/reactions/like?" + REACTIONS_VERSION,
        Json.object());
  }

  /// Replaces all tags, unless somebody else changed the work item since they were read.
  @Override
  public ApiResult label(WorkItem item, Optional<String> on, List<String> off) {
    var first = relabel(item, on, off);
    // A change that somebody made meanwhile lets it fail.
    return first instanceof ApiResult.Refused ? relabel(item, on, off) : first;
  }

  private ApiResult relabel(WorkItem item, Optional<String> on, List<String> off) {
    var found = item(item);
    if (!(found instanceof ApiResult.Done(var now))) {
      return found;
    }
    var before = tags(now.path("fields").path(TAGS));
    var after = new ArrayList<>(before);
    after.removeIf(tag -> off.stream().anyMatch(tag::equalsIgnoreCase));
    on.filter(tag -> after.stream().noneMatch(tag::equalsIgnoreCase)).ifPresent(after::add);
    if (after.equals(before)) {
      return found;
    }
    var change = JsonNodeFactory.instance.arrayNode();
    change.addObject().put("op", "test").put("path", "/rev").set("value", now.path("rev"));
    change
        .addObject()
        .put("op", "add")
        .put("path", "/fields/" + TAGS)
        .put("value", String.join("; ", after));
    return rest.jsonPatch(item, path(item) + "?" + VERSION, change);
  }

  /// @param field the tags as one text: `bug; agent`
  static List<String> tags(JsonNode field) {
    return field.isTextual()
        ? Arrays.stream(field.textValue().split(";"))
            .map(String::strip)
            .filter(tag -> !tag.isEmpty())
            .toList()
        : List.of();
  }

  @Override
  public boolean mayBeOurs(JsonNode comment) {
    return Json.text(comment.path("createdBy"), "id").filter(accountId::mayBe).isPresent();
  }
}
