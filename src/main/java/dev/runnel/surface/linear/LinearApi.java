package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Credential;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.JsonHttp;
import dev.runnel.surface.kit.JsonHttp.JsonResponse;
import dev.runnel.surface.kit.TrackerCalls;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;

/// The part of Linear's GraphQL API that Runnel calls. Thread-safe; blocks.
final class LinearApi {
  /// The maximum number of elements of a list.
  static final int PAGE = 100;

  private static final String PERSONAL_KEY = "lin_api_";
  private static final String PERSON = "id name displayName active admin guest app";

  private final JsonHttp http;
  private final String path;
  private final TrackerCalls calls;
  private final GraphQl graphQl;

  LinearApi(LinearConfig config, OkHttpClient client, InstantSource clock) {
    var url = config.url();
    var token = config.token();
    this.http =
        new JsonHttp(
            client,
            URI.create(url.getScheme() + "://" + url.getRawAuthority()),
            Map.of(
                "Authorization",
                token.startsWith(PERSONAL_KEY) ? token : "Bearer " + token,
                "User-Agent",
                "runnel"));
    this.path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    this.graphQl = new GraphQl(clock);
    this.calls =
        new TrackerCalls(
            "Linear",
            Credential.token(LinearConfig.TOKEN),
            LinearConfig.URL,
            clock,
            () -> send("query { viewer { id } }", variables(), "viewer"));
  }

  TrackerCalls calls() {
    return calls;
  }

  /// The account that the token belongs to.
  ApiResult viewer() {
    return call(
        "The account",
        "query { viewer { id displayName app supportsAgentSessions } }",
        variables(),
        "viewer");
  }

  ApiResult user(String id) {
    return find("The account", "user", id, PERSON);
  }

  ApiResult labelName(String id) {
    return find("The label", "issueLabel", id, "id name");
  }

  /// The issue with its labels and its comments.
  ApiResult issue(String id) {
    return findIssue(
        id,
        """
        id identifier title description url updatedAt
        labels(first: 50) { nodes { id name } }
        comments(first: %d) { nodes { id body createdAt updatedAt user { %s } } }
        """
            .formatted(PAGE, PERSON));
  }

  /// The issue with `trashed`, whether it is in the trash, from where it can be restored.
  ApiResult trashed(String issue) {
    return findIssue(issue, "id trashed");
  }

  /// The latest comments, in any order.
  ApiResult comments(String issue) {
    return findIssue(
        issue,
        "comments(first: %d) { nodes { id body createdAt user { id } } }".formatted(PAGE),
        "comments",
        "nodes");
  }

  /// One page of the issues changed since a time, each with its new comments and its history. The
  /// first page has the oldest changes, each page its newest change first.
  ///
  /// @param since since when comments are listed
  /// @param from since when the issues have changed
  /// @param before the `startCursor` of the page with older changes; empty for the first page
  ApiResult changed(Instant since, Instant from, int issues, Optional<String> before) {
    var variables = variables().put("since", since.toString()).put("from", from.toString());
    before.ifPresent(cursor -> variables.put("before", cursor));
    return call(
        "The workspace",
        """
        query($since: DateTimeOrDuration!, $from: DateTimeOrDuration!, $last: Int, $before: String) {
          issues(
            filter: { updatedAt: { gte: $from } }, orderBy: updatedAt, last: $last, before: $before
          ) {
            pageInfo { hasPreviousPage startCursor }
            nodes {
              id identifier title url completedAt canceledAt createdAt updatedAt
              creator { id name } assignee { id } delegate { id }
              labels(first: 30) { nodes { id name } }
              comments(filter: { createdAt: { gte: $since } }, first: 30) {
                nodes { id body createdAt url user { id name } botActor { id } }
              }
              history(first: 30) {
                nodes {
                  id createdAt actor { id name } botActor { id }
                  addedLabels { id name } removedLabels { id name }
                  fromAssigneeId toAssigneeId fromDelegate { id } toDelegate { id }
                  toState { type name }
                }
              }
            }
          }
        }
        """,
        variables.put("last", issues),
        "issues");
  }

  /// One page of the agent sessions, latest change first, each with the messages of users since
  /// that time.
  ///
  /// @param after the `endCursor` of the page before; empty for the first page
  ApiResult sessions(Instant since, int sessions, Optional<String> after) {
    var variables = variables().put("since", since.toString()).put("first", sessions);
    after.ifPresent(cursor -> variables.put("after", cursor));
    return call(
        "The workspace",
        """
        query($since: DateTimeOrDuration!, $first: Int, $after: String) {
          agentSessions(orderBy: updatedAt, first: $first, after: $after) {
            pageInfo { hasNextPage endCursor }
            nodes {
              id createdAt updatedAt url
              appUser { id } creator { id name } comment { id body } sourceComment { id }
              issue { id title description url }
              activities(
                filter: { type: { eq: "prompt" }, createdAt: { gte: $since } }, first: 30
              ) {
                nodes {
                  id createdAt signal user { id name } sourceComment { id }
                  content { ... on AgentActivityPromptContent { type body } }
                }
              }
            }
          }
        }
        """,
        variables,
        "agentSessions");
  }

  ApiResult comment(String issue, String text) {
    return create("the issue", "comment", variables().put("issueId", issue).put("body", text));
  }

  ApiResult edit(String comment, String text) {
    return update("the comment", "comment", comment, variables().put("body", text));
  }

  ApiResult react(String comment, String emoji) {
    return create(
        "the comment", "reaction", variables().put("commentId", comment).put("emoji", emoji));
  }

  /// The issue with its team and its labels.
  ApiResult labels(String issue) {
    return findIssue(issue, "team { id } labels(first: 50) { nodes { id name } }");
  }

  ApiResult labelsNamed(String name) {
    return call(
        "The labels",
        """
        query($name: String!) {
          issueLabels(filter: { name: { eqIgnoreCase: $name } }, first: 50) {
            nodes { id name team { id } }
          }
        }
        """,
        variables().put("name", name),
        "issueLabels",
        "nodes");
  }

  ApiResult createLabel(String name, String team) {
    return create("the team", "issueLabel", variables().put("name", name).put("teamId", team));
  }

  /// Adds and removes labels; other labels, set by somebody at the same time, are kept.
  ApiResult relabel(String issue, List<String> on, List<String> off) {
    var change = variables();
    on.forEach(change.putArray("addedLabelIds")::add);
    off.forEach(change.putArray("removedLabelIds")::add);
    return update("the issue", "issue", issue, change);
  }

  /// The workflow states of the issue's team.
  ApiResult states(String issue) {
    return findIssue(
        issue, "team { states(first: 100) { nodes { id name } } }", "team", "states", "nodes");
  }

  /// Moves the issue into a workflow state.
  ApiResult move(String issue, String state) {
    return update("the issue", "issue", issue, variables().put("stateId", state));
  }

  ApiResult activity(String id) {
    return find("The activity", "agentActivity", id, "id");
  }

  /// @param id chosen by us
  /// @param ephemeral whether the next activity replaces it
  ApiResult act(String id, String session, ObjectNode content, boolean ephemeral) {
    var input = variables().put("id", id).put("agentSessionId", session);
    input.set("content", content);
    if (ephemeral) {
      input.put("ephemeral", true);
    }
    return create("the session", "agentActivity", input);
  }

  /// Adds a link to the session; other links are kept.
  ApiResult link(String session, String label, URI url) {
    var input = variables();
    input.putArray("addedExternalUrls").addObject().put("label", label).put("url", url.toString());
    return update("the session", "agentSession", session, input);
  }

  ApiResult plan(String session, ArrayNode steps) {
    var input = variables();
    input.set("plan", steps);
    return update("the session", "agentSession", session, input);
  }

  private ApiResult findIssue(String id, String fields, String... below) {
    return find("The issue", "issue", id, fields, below);
  }

  /// @param below the names that lead from the object to the result
  private ApiResult find(String place, String type, String id, String fields, String... below) {
    var names = Stream.concat(Stream.of(type), Stream.of(below)).toArray(String[]::new);
    return call(
        place,
        "query($id: String!) { %s(id: $id) { %s } }".formatted(type, fields),
        variables().put("id", id),
        names);
  }

  /// The result is the id of the new object.
  private ApiResult create(String place, String type, ObjectNode input) {
    return call(
        place,
        """
        mutation($input: %sCreateInput!) {
          %sCreate(input: $input) { success %s { id } }
        }
        """
            .formatted(capitalized(type), type, type),
        input(input),
        type + "Create",
        type);
  }

  private ApiResult update(String place, String type, String id, ObjectNode input) {
    return call(
        place,
        """
        mutation($id: String!, $input: %sUpdateInput!) {
          %sUpdate(id: $id, input: $input) { success }
        }
        """
            .formatted(capitalized(type), type),
        input(input).put("id", id),
        type + "Update");
  }

  private static String capitalized(String type) {
    return type.substring(0, 1).toUpperCase(Locale.ROOT) + type.substring(1);
  }

  private ApiResult call(String place, String query, JsonNode variables, String... names) {
    return calls.make(place, () -> send(query, variables, names));
  }

  private JsonResponse send(String query, JsonNode variables, String... names) throws IOException {
    var body = variables().put("query", query);
    body.set("variables", variables);
    return graphQl.read(http.post(path, body), names);
  }

  private static ObjectNode variables() {
    return Json.object();
  }

  private static ObjectNode input(ObjectNode input) {
    var variables = variables();
    variables.set("input", input);
    return variables;
  }
}
