package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.ArtifactContent;
import dev.runnel.wire.Conversation;
import dev.runnel.wire.ConversationFollowUpAccepted;
import dev.runnel.wire.ConversationRedirect;
import dev.runnel.wire.CreateIdentity;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreateSchedule;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.Deleted;
import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.DispatchedRun;
import dev.runnel.wire.Factory;
import dev.runnel.wire.FactoryPage;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.HarnessUsage;
import dev.runnel.wire.Identity;
import dev.runnel.wire.ModelList;
import dev.runnel.wire.Problem;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;
import dev.runnel.wire.Schedule;
import dev.runnel.wire.SessionRedirect;
import dev.runnel.wire.UpdateIdentity;
import dev.runnel.wire.UpdateSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Describes the API as OpenAPI 3.1. The operations with their request and response bodies are
/// listed here, and tests compare them with the routes and their responses. The schemas are derived
/// from the records in `wire` and in [ResponseBodies].
public final class ApiDescription {
  private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");
  private static final ApiParameter IDEMPOTENCY_KEY =
      ApiParameter.header(
          "Idempotency-Key",
          "A repeated request with the same key has no further effect, and gets the first answer");

  private static final List<ApiParameter> LIST =
      List.of(
          ApiParameter.integer("limit", "At most so many; 1 to 500, else 20"),
          ApiParameter.one("cursor", "`next_cursor` of the page before, with the same filters"),
          ApiParameter.choice("sort_by", "updated_at", "created_at", "title", "agent"),
          ApiParameter.choice("sort_order", "desc", "asc"),
          ApiParameter.one("q", "Words in title, prompt or skill, or the id or address of a run"),
          ApiParameter.many("state"),
          ApiParameter.many("task_status", "running", "failed", "blocked", "cancelled", "complete"),
          ApiParameter.many("source"),
          ApiParameter.many("name"),
          ApiParameter.many("config_name"),
          ApiParameter.many("model_id"),
          ApiParameter.many("environment_id"),
          ApiParameter.many("skill"),
          ApiParameter.many("skill_spec"),
          ApiParameter.many("creator"),
          ApiParameter.many("executor"),
          ApiParameter.many("factory_uid"),
          ApiParameter.flag("factory_only"),
          ApiParameter.many("schedule_id"),
          ApiParameter.many("automation_id"),
          ApiParameter.many("artifact_type"),
          ApiParameter.many("execution_location", "LOCAL", "REMOTE"),
          ApiParameter.one("ancestor_run_id", "Only runs below this one"),
          ApiParameter.time("created_after"),
          ApiParameter.time("created_before"),
          ApiParameter.time("updated_after"),
          ApiParameter.pairs("metadata", "At most five, as `metadata[KEY]=VALUE`"));

  /// Part of an address that the service has signed.
  private static final List<ApiParameter> SIGNATURE =
      List.of(ApiParameter.required("expires"), ApiParameter.required("signature"));

  /// @param path below `/api/v1`
  /// @param body the request body; null for none
  /// @param response the JSON body of a success; null for another body, or none
  /// @param status the status of a successful response, or that of all responses
  /// @param parameters those of the query, and headers
  /// @param isOpen whether it needs no key, because its URL is signed or public
  record Operation(
      String method,
      String path,
      String summary,
      @Nullable Class<?> body,
      @Nullable Class<?> response,
      int status,
      List<ApiParameter> parameters,
      boolean isOpen) {
    String route() {
      return method + " " + path;
    }

    Operation withStatus(int other) {
      return new Operation(method, path, summary, body, response, other, parameters, isOpen);
    }

    Operation with(ApiParameter... others) {
      return with(List.of(others));
    }

    Operation with(List<ApiParameter> others) {
      return new Operation(method, path, summary, body, response, status, others, isOpen);
    }
  }

  static final List<Operation> ALL =
      List.of(
          post("/agent/runs", "Start a run", CreateRun.class, CreatedRun.class, 200)
              .with(IDEMPOTENCY_KEY),
          post(
                  "/agent/run",
                  "The same, under its former path",
                  CreateRun.class,
                  CreatedRun.class,
                  200)
              .with(IDEMPOTENCY_KEY),
          get("/agent/runs", "List runs, page by page", RunPage.class).with(LIST),
          get("/agent/runs/{id}", "Show a run", RunItem.class),
          post(
                  "/agent/runs/{id}/followups",
                  "Say something to a run, or let it go on after its end",
                  FollowUpMessage.class,
                  FollowUpAccepted.class,
                  200)
              .with(IDEMPOTENCY_KEY),
          post(
                  "/agent/runs/{id}/cancel",
                  "Stop a run; one that is BLOCKED only with `include_blocked=true`; returns its"
                      + " id",
                  null,
                  String.class,
                  200)
              .with(ApiParameter.flag("include_blocked")),
          post(
              "/agent/runs/{id}/interrupt",
              "Always refused: send a follow-up with `interrupt: true`",
              null,
              null,
              422),
          get(
              "/agent/runs/{id}/timeline",
              "The events of a run, oldest first",
              ResponseBodies.Timeline.class),
          get(
              "/agent/runs/{id}/harness-usage",
              "The stored usage of a run of Claude Code or Codex; a count that is left out is"
                  + " unknown",
              HarnessUsage.class),
          get("/agent/runs/{id}/transcript", "Redirects to the transcript's signed address", null)
              .withStatus(302),
          open("/agent/runs/{id}/transcript/text", "The transcript as text", null).with(SIGNATURE),
          get(
                  "/agent/run-by-external-reference",
                  "The run of a pull request or another link",
                  ResponseBodies.RunReference.class)
              .with(ApiParameter.required("url")),
          get("/agent/runs/{id}/conversation", "The conversation of a run", Conversation.class),
          get("/agent/conversations/{id}", "A conversation", Conversation.class),
          get(
                  "/agent/conversations/{id}/transcript",
                  "Redirects to the signed address of the newest run's transcript",
                  null)
              .withStatus(302),
          post(
                  "/agent/conversations/{id}/followups",
                  "Say something to the newest run of a conversation",
                  FollowUpMessage.class,
                  ConversationFollowUpAccepted.class,
                  200)
              .with(IDEMPOTENCY_KEY),
          post(
              "/agent/conversations/{id}/interrupt",
              "Always refused: send a follow-up with `interrupt: true`",
              null,
              null,
              422),
          open(
              "/agent/sessions/{id}/redirect",
              "The conversation of a session",
              SessionRedirect.class),
          open(
              "/agent/conversations/{id}/redirect",
              "The session of a conversation's newest run",
              ConversationRedirect.class),
          get(
              "/agent/runs/{id}/handoff/attachments",
              "The files given with a run",
              ResponseBodies.HandoffAttachments.class),
          open("/agent/attachments/{id}/content", "The content of such a file", null)
              .with(SIGNATURE),
          get("/agent/artifacts/{uid}", "A plan, or the address of a file", ArtifactContent.class),
          get("/agent/artifacts/{uid}/download", "Redirects to a file's signed address", null)
              .withStatus(302),
          open("/agent/artifacts/{uid}/content", "The content of a file", null).with(SIGNATURE),
          get("/agent", "The skills of the environments", ResponseBodies.Skills.class)
              .with(
                  ApiParameter.one("repo", "Only the skills of this repository"),
                  ApiParameter.flag("refresh"),
                  ApiParameter.choice("sort_by", "name", "last_run"),
                  ApiParameter.flag("include_malformed_skills")),
          get("/agent/environments", "The environments", ResponseBodies.Environments.class)
              .with(ApiParameter.choice("sort_by", "last_updated", "name")),
          get("/agent/models", "The models", ModelList.class),
          get(
              "/agent/connected-self-hosted-workers",
              "Always empty: this service has none",
              ResponseBodies.Workers.class),
          get("/agent/identities", "The named agents", ResponseBodies.Identities.class)
              .with(ApiParameter.one("factory_uid", "Only those of this factory")),
          post(
              "/agent/identities", "Make a named agent", CreateIdentity.class, Identity.class, 201),
          get("/agent/identities/{uid}", "A named agent", Identity.class),
          put(
              "/agent/identities/{uid}",
              "Change a named agent",
              UpdateIdentity.class,
              Identity.class),
          delete("/agent/identities/{uid}", "Delete a named agent", null, 204),
          get("/agent/schedules", "The schedules", ResponseBodies.Schedules.class),
          post("/agent/schedules", "Make a schedule", CreateSchedule.class, Schedule.class, 201),
          get("/agent/schedules/{id}", "A schedule", Schedule.class),
          put("/agent/schedules/{id}", "Change a schedule", UpdateSchedule.class, Schedule.class),
          delete("/agent/schedules/{id}", "Delete a schedule", Deleted.class, 200),
          post("/agent/schedules/{id}/pause", "Pause a schedule", null, Schedule.class, 200),
          post("/agent/schedules/{id}/resume", "Let a schedule go on", null, Schedule.class, 200),
          get("/agent/keys", "The keys, without their secrets", ResponseBodies.Keys.class),
          post(
              "/agent/keys",
              "Make a key, which is shown once",
              ResponseBodies.CreateKey.class,
              ResponseBodies.CreatedKey.class,
              201),
          delete("/agent/keys/{id}", "Revoke a key", null, 204),
          get("/factory", "The factories", FactoryPage.class)
              .with(
                  ApiParameter.one("search", "Part of a name or alias"),
                  ApiParameter.one("filter_team_uid", "Only those of this team"),
                  ApiParameter.integer("limit", "At most so many; 1 to 500, else 20"),
                  ApiParameter.one("cursor", "`next_cursor` of the page before")),
          get("/factory/{uid}", "A factory", Factory.class),
          post(
                  "/factory/{uid}/runs",
                  "Give a factory work",
                  DispatchRun.class,
                  DispatchedRun.class,
                  200)
              .with(IDEMPOTENCY_KEY),
          open("/openapi.json", "This description", null));

  private final ApiSchemas schemas = new ApiSchemas();

  private ApiDescription() {}

  private static Operation get(String path, String summary, @Nullable Class<?> response) {
    return new Operation("GET", path, summary, null, response, 200, List.of(), false);
  }

  private static Operation open(String path, String summary, @Nullable Class<?> response) {
    return new Operation("GET", path, summary, null, response, 200, List.of(), true);
  }

  private static Operation post(
      String path,
      String summary,
      @Nullable Class<?> body,
      @Nullable Class<?> response,
      int status) {
    return new Operation("POST", path, summary, body, response, status, List.of(), false);
  }

  private static Operation put(String path, String summary, Class<?> body, Class<?> response) {
    return new Operation("PUT", path, summary, body, response, 200, List.of(), false);
  }

  private static Operation delete(
      String path, String summary, @Nullable Class<?> response, int status) {
    return new Operation("DELETE", path, summary, null, response, status, List.of(), false);
  }

  /// Registers `/openapi.json`.
  public static void register(Api api) {
    api.open("/openapi.json", (ctx, _) -> Api.respond(ctx, document().toString()));
  }

  /// The description as JSON.
  public static ObjectNode document() {
    return new ApiDescription().build();
  }

  private ObjectNode build() {
    var document = ServiceJson.newObject();
    document.put("openapi", "3.1.0");
    document
        .putObject("info")
        .put("title", "Agent Run API of Runnel")
        .put("version", "1")
        .put("description", "The embedded service. Times are RFC 3339 in UTC.");
    document.putArray("servers").addObject().put("url", Api.BASE);
    document.putArray("security").addObject().putArray("key");
    var paths = document.putObject("paths");
    for (var operation : ALL) {
      var path =
          paths.get(operation.path()) instanceof ObjectNode known
              ? known
              : paths.putObject(operation.path());
      describe(operation, path.putObject(operation.method().toLowerCase(Locale.ROOT)));
    }
    var components = document.putObject("components");
    components
        .putObject("securitySchemes")
        .putObject("key")
        .put("type", "http")
        .put("scheme", "bearer");
    schemas.of(Problem.class);
    schemas.of(AgentConfig.class);
    schemas.addTo(components.putObject("schemas"));
    return document;
  }

  private void describe(Operation operation, ObjectNode into) {
    into.put("summary", operation.summary());
    into.put("operationId", id(operation));
    if (operation.isOpen()) {
      into.putArray("security");
    }
    var parameters = new ArrayList<ObjectNode>();
    PARAMETER
        .matcher(operation.path())
        .results()
        .forEach(it -> parameters.add(ApiParameter.inPath(it.group(1)).json()));
    operation.parameters().forEach(it -> parameters.add(it.json()));
    if (!parameters.isEmpty()) {
      into.putArray("parameters").addAll(parameters);
    }
    if (operation.body() != null) {
      var body = into.putObject("requestBody").put("required", true);
      body.putObject("content")
          .putObject("application/json")
          .set("schema", schemas.of(operation.body()));
    }
    var responses = into.putObject("responses");
    if (operation.status() < 400) {
      var success = responses.putObject(Integer.toString(operation.status()));
      success.put("description", operation.status() == 302 ? "Redirect" : "Success");
      if (operation.response() != null) {
        success
            .putObject("content")
            .putObject("application/json")
            .set("schema", schemas.of(operation.response()));
      }
    } else {
      describeProblem(responses.putObject(Integer.toString(operation.status())));
    }
    describeProblem(responses.putObject("default"));
  }

  private void describeProblem(ObjectNode response) {
    response.put("description", "A problem (RFC 9457)");
    response
        .putObject("content")
        .putObject("application/problem+json")
        .set("schema", schemas.of(Problem.class));
  }

  private static String id(Operation operation) {
    return operation.method().toLowerCase(Locale.ROOT)
        + operation.path().replaceAll("[{}]", "").replaceAll("[^A-Za-z]+", "_");
  }
}
