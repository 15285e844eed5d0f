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
import java.util.Map;
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
    return call(
        "The account",
        "query($id: String!) { user(id: $id) { " + PERSON + " } }",
        variables().put("id", id),
        "user");
  }

  ApiResult labelName(String id) {
    return call(
        "The label",
        "query($id: String!) { issueLabel(id: $id) { id name } }",
        variables().put("id", id),
        "issueLabel");
  }

  /// The issue with its labels and its comments.
  ApiResult issue(String id) {
    return call(
        "The issue",
        """
        query($id: String!, $first: Int) {
          issue(id: $id) {
            id identifier title description url updatedAt
            labels(first: 50) { nodes { id name } }
            comments(first: $first) { nodes { id body createdAt updatedAt user { %s } } }
          }
        }
        """
            .formatted(PERSON),
        variables().put("id", id).put("first", PAGE),
        "issue");
  }

  /// The issue with `trashed`, whether it is in the trash, from where it can be restored.
  ApiResult trashed(String issue) {
    return call(
        "The issue",
        "query($id: String!) { issue(id: $id) { id trashed } }",
        variables().put("id", issue),
        "issue");
  }

  /// The latest comments, in any order.
  ApiResult comments(String issue) {
    return call(
        "The issue",
        """
        query($id: String!, $first: Int) {
          issue(id: $id) { comments(first: $first) { nodes { id body createdAt user { id } } } }
        }
        """,
        variables().put("id", issue).put("first", PAGE),
        "issue",
        "comments",
        "nodes");
  }

  /// The issues changed since that time, each with its new comments and its history.
  ApiResult changed(Instant since, int issues) {
    return call(
        "The workspace",
        """
        query($since: DateTimeOrDuration!, $first: Int) {
          issues(filter: { updatedAt: { gte: $since } }, orderBy: updatedAt, first: $first) {
            nodes {
              id identifier title url completedAt canceledAt createdAt
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
        variables().put("since", since.toString()).put("first", issues),
        "issues",
        "nodes");
  }

  ApiResult comment(String issue, String text) {
    var input = variables().put("issueId", issue).put("body", text);
    return call(
        "the issue",
        """
        mutation($input: CommentCreateInput!) {
          commentCreate(input: $input) { success comment { id } }
        }
        """,
        input(input),
        "commentCreate",
        "comment");
  }

  ApiResult edit(String comment, String text) {
    return call(
        "the comment",
        """
        mutation($id: String!, $input: CommentUpdateInput!) {
          commentUpdate(id: $id, input: $input) { success comment { id } }
        }
        """,
        input(variables().put("body", text)).put("id", comment),
        "commentUpdate",
        "comment");
  }

  ApiResult react(String comment, String emoji) {
    return call(
        "the comment",
        "mutation($input: ReactionCreateInput!) { reactionCreate(input: $input) { success } }",
        input(variables().put("commentId", comment).put("emoji", emoji)),
        "reactionCreate");
  }

  /// The issue with its team and its labels.
  ApiResult labels(String issue) {
    return call(
        "The issue",
        "query($id: String!) { issue(id: $id) { team { id } labels(first: 50) { nodes { id name } }"
            + " } }",
        variables().put("id", issue),
        "issue");
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
    return call(
        "the team",
        """
        mutation($input: IssueLabelCreateInput!) {
          issueLabelCreate(input: $input) { success issueLabel { id } }
        }
        """,
        input(variables().put("name", name).put("teamId", team)),
        "issueLabelCreate",
        "issueLabel");
  }

  /// Adds and removes labels; other labels, set by somebody at the same time, are kept.
  ApiResult relabel(String issue, List<String> on, List<String> off) {
    var change = variables();
    on.forEach(change.putArray("addedLabelIds")::add);
    off.forEach(change.putArray("removedLabelIds")::add);
    return updateIssue(issue, change);
  }

  /// The workflow states of the issue's team.
  ApiResult states(String issue) {
    return call(
        "The issue",
        "query($id: String!) { issue(id: $id) { team { states(first: 100) { nodes { id name } } } }"
            + " }",
        variables().put("id", issue),
        "issue",
        "team",
        "states",
        "nodes");
  }

  /// Moves the issue into a workflow state.
  ApiResult move(String issue, String state) {
    return updateIssue(issue, variables().put("stateId", state));
  }

  private ApiResult updateIssue(String issue, ObjectNode input) {
    return call(
        "the issue",
        """
        mutation($id: String!, $input: IssueUpdateInput!) {
          issueUpdate(id: $id, input: $input) { success }
        }
        """,
        input(input).put("id", issue),
        "issueUpdate");
  }

  ApiResult activity(String id) {
    return call(
        "The activity",
        "query($id: String!) { agentActivity(id: $id) { id } }",
        variables().put("id", id),
        "agentActivity");
  }

  /// @param id chosen by us
  /// @param ephemeral whether the next activity replaces it
  ApiResult act(String id, String session, ObjectNode content, boolean ephemeral) {
    var input = variables().put("id", id).put("agentSessionId", session);
    input.set("content", content);
    if (ephemeral) {
      input.put("ephemeral", true);
    }
    return call(
        "the session",
        """
        mutation($input: AgentActivityCreateInput!) {
          agentActivityCreate(input: $input) { success agentActivity { id } }
        }
        """,
        input(input),
        "agentActivityCreate",
        "agentActivity");
  }

  /// Adds a link to the session; other links are kept.
  ApiResult link(String session, String label, URI url) {
    var input = variables();
    input.putArray("addedExternalUrls").addObject().put("label", label).put("url", url.toString());
    return update(session, input);
  }

  ApiResult plan(String session, ArrayNode steps) {
    var input = variables();
    input.set("plan", steps);
    return update(session, input);
  }

  private ApiResult update(String session, ObjectNode input) {
    return call(
        "the session",
        """
        mutation($id: String!, $input: AgentSessionUpdateInput!) {
          agentSessionUpdate(id: $id, input: $input) { success }
        }
        """,
        input(input).put("id", session),
        "agentSessionUpdate");
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
