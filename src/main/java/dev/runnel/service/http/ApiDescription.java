package dev.runnel.service.http;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.ArtifactContent;
import dev.runnel.wire.Conversation;
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
import dev.runnel.wire.Identity;
import dev.runnel.wire.ModelList;
import dev.runnel.wire.Problem;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;
import dev.runnel.wire.Schedule;
import dev.runnel.wire.TimelineEvent;
import dev.runnel.wire.UpdateIdentity;
import dev.runnel.wire.UpdateSchedule;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Describes the API as OpenAPI 3.1. The operations with their request and response bodies are
/// listed here, and a test compares them with the routes. The schemas are derived from the records
/// in `wire`.
public final class ApiDescription {
  private static final Pattern PARAMETER = Pattern.compile("\\{(\\w+)}");
  private static final List<String> FILTERS =
      List.of(
          """
          limit cursor sort_by sort_order q state task_status source name model_id environment_id
          skill skill_spec creator executor factory_uid factory_only schedule_id artifact_type
          execution_location ancestor_run_id created_after created_before updated_after
          """
              .split("\\s+"));

  /// @param path below `/api/v1`
  /// @param body the request body; null for none
  /// @param response the response body; null for one without a schema
  /// @param status the status of a successful response, or that of all responses
  /// @param isOpen whether it needs no key, because its URL is signed or public
  record Operation(
      String method,
      String path,
      String summary,
      @Nullable Class<?> body,
      @Nullable Class<?> response,
      int status,
      List<String> query,
      boolean isOpen) {
    String route() {
      return method + " " + path;
    }

    Operation withStatus(int other) {
      return new Operation(method, path, summary, body, response, other, query, isOpen);
    }

    Operation withQuery(List<String> names) {
      return new Operation(method, path, summary, body, response, status, names, isOpen);
    }
  }

  static final List<Operation> ALL =
      List.of(
          post("/agent/runs", "Start a run", CreateRun.class, CreatedRun.class, 200),
          post(
              "/agent/run",
              "The same, under its former path",
              CreateRun.class,
              CreatedRun.class,
              200),
          get("/agent/runs", "List runs, page by page", RunPage.class).withQuery(FILTERS),
          get("/agent/runs/{id}", "Show a run", RunItem.class),
          post(
              "/agent/runs/{id}/followups",
              "Say something to a run, or let it go on after its end",
              FollowUpMessage.class,
              FollowUpAccepted.class,
              200),
          post(
                  "/agent/runs/{id}/cancel",
                  "Stop a run; one that is BLOCKED only with `include_blocked=true`",
                  null,
                  null,
                  200)
              .withQuery(List.of("include_blocked")),
          post(
              "/agent/runs/{id}/interrupt",
              "Always refused: send a follow-up with `interrupt: true`",
              null,
              null,
              422),
          get(
              "/agent/runs/{id}/timeline",
              "The events of a run, oldest first",
              TimelineEvent.class),
          get(
              "/agent/runs/{id}/harness-usage",
              "The stored usage of a run of Claude Code or Codex; a count that is left out is"
                  + " unknown",
              null),
          get("/agent/runs/{id}/transcript", "Redirects to the transcript's signed address", null)
              .withStatus(302),
          open("/agent/runs/{id}/transcript/text", "The transcript as text"),
          get("/agent/run-by-external-reference", "The run of a pull request or another link", null)
              .withQuery(List.of("url", "reference")),
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
              FollowUpAccepted.class,
              200),
          post(
              "/agent/conversations/{id}/interrupt",
              "Always refused: send a follow-up with `interrupt: true`",
              null,
              null,
              422),
          open(
              "/agent/sessions/{id}/redirect",
              "The conversation of a session: `{conversation_id?}`"),
          open(
              "/agent/conversations/{id}/redirect",
              "The session of a conversation's newest run: `{session_id?}`"),
          get("/agent/runs/{id}/handoff/attachments", "The files given with a run", null),
          open("/agent/attachments/{id}/content", "The content of such a file"),
          get("/agent/artifacts/{uid}", "A plan, or the address of a file", ArtifactContent.class),
          get("/agent/artifacts/{uid}/download", "Redirects to a file's signed address", null)
              .withStatus(302),
          open("/agent/artifacts/{uid}/content", "The content of a file"),
          get("/agent", "The skills of the environments", null),
          get("/agent/environments", "The environments", null),
          get("/agent/models", "The models", ModelList.class),
          get("/agent/connected-self-hosted-workers", "Always empty: this service has none", null),
          get("/agent/identities", "The named agents", null).withQuery(List.of("factory_uid")),
          post(
              "/agent/identities", "Make a named agent", CreateIdentity.class, Identity.class, 201),
          get("/agent/identities/{uid}", "A named agent", Identity.class),
          put(
              "/agent/identities/{uid}",
              "Change a named agent",
              UpdateIdentity.class,
              Identity.class),
          delete("/agent/identities/{uid}", "Delete a named agent", null, 204),
          get("/agent/schedules", "The schedules", null),
          post("/agent/schedules", "Make a schedule", CreateSchedule.class, Schedule.class, 201),
          get("/agent/schedules/{id}", "A schedule", Schedule.class),
          put("/agent/schedules/{id}", "Change a schedule", UpdateSchedule.class, Schedule.class),
          delete("/agent/schedules/{id}", "Delete a schedule", Deleted.class, 200),
          post("/agent/schedules/{id}/pause", "Pause a schedule", null, Schedule.class, 200),
          post("/agent/schedules/{id}/resume", "Let a schedule go on", null, Schedule.class, 200),
          get("/agent/keys", "The keys, without their secrets", null),
          post("/agent/keys", "Make a key, which is shown once", null, null, 201),
          delete("/agent/keys/{id}", "Revoke a key", null, 204),
          get("/factory", "The factories", FactoryPage.class),
          get("/factory/{uid}", "A factory", Factory.class),
          post(
              "/factory/{uid}/runs",
              "Give a factory work",
              DispatchRun.class,
              DispatchedRun.class,
              200),
          open("/openapi.json", "This description"));

  private final Map<String, Class<?>> schemas = new TreeMap<>();

  private ApiDescription() {}

  private static Operation get(String path, String summary, @Nullable Class<?> response) {
    return new Operation("GET", path, summary, null, response, 200, List.of(), false);
  }

  private static Operation open(String path, String summary) {
    return new Operation("GET", path, summary, null, null, 200, List.of(), true);
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
    var all = components.putObject("schemas");
    reference(Problem.class);
    reference(AgentConfig.class);
    // A schema may refer to others, so this is repeated until there is no new one.
    while (all.size() < schemas.size()) {
      for (var name : List.copyOf(schemas.keySet())) {
        if (!all.has(name)) {
          all.set(name, schema(Optional.ofNullable(schemas.get(name)).orElseThrow()));
        }
      }
    }
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
        .forEach(it -> parameters.add(parameter(it.group(1), "path")));
    operation.query().forEach(it -> parameters.add(parameter(it, "query")));
    if (!parameters.isEmpty()) {
      into.putArray("parameters").addAll(parameters);
    }
    if (operation.body() != null) {
      var body = into.putObject("requestBody").put("required", true);
      body.putObject("content")
          .putObject("application/json")
          .set("schema", reference(operation.body()));
    }
    var responses = into.putObject("responses");
    if (operation.status() < 400) {
      var success = responses.putObject(Integer.toString(operation.status()));
      success.put("description", operation.status() == 302 ? "Redirect" : "Success");
      if (operation.response() != null) {
        success
            .putObject("content")
            .putObject("application/json")
            .set("schema", reference(operation.response()));
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
        .set("schema", reference(Problem.class));
  }

  private static String id(Operation operation) {
    return operation.method().toLowerCase(Locale.ROOT)
        + operation.path().replaceAll("[{}]", "").replaceAll("[^A-Za-z]+", "_");
  }

  private static ObjectNode parameter(String name, String place) {
    var parameter = ServiceJson.newObject();
    parameter.put("name", name).put("in", place).put("required", place.equals("path"));
    parameter.putObject("schema").put("type", "string");
    return parameter;
  }

  private ObjectNode reference(Class<?> type) {
    schemas.put(type.getSimpleName(), type);
    return ServiceJson.newObject().put("$ref", "#/components/schemas/" + type.getSimpleName());
  }

  private JsonNode schema(Class<?> type) {
    var schema = ServiceJson.newObject().put("type", "object");
    var properties = schema.putObject("properties");
    for (var component : type.getRecordComponents()) {
      var name = name(component);
      if (name.isPresent()) {
        properties.set(name.get(), member(component.getGenericType()));
      }
    }
    return schema;
  }

  /// The name in JSON; empty for a component that holds the unknown members.
  private static Optional<String> name(RecordComponent component) {
    return Optional.ofNullable(component.getAccessor().getAnnotation(JsonProperty.class))
        .map(JsonProperty::value);
  }

  private JsonNode member(Type type) {
    if (type instanceof ParameterizedType generic) {
      var raw = (Class<?>) generic.getRawType();
      var last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
      var schema = ServiceJson.newObject();
      if (Map.class.isAssignableFrom(raw)) {
        schema.put("type", "object").set("additionalProperties", member(last));
      } else {
        schema.put("type", "array").set("items", member(last));
      }
      return schema;
    }
    return type instanceof Class<?> simple ? simple(simple) : ServiceJson.newObject();
  }

  private ObjectNode simple(Class<?> type) {
    var schema = ServiceJson.newObject();
    if (type == String.class) {
      return schema.put("type", "string");
    }
    if (type == Instant.class) {
      return schema.put("type", "string").put("format", "date-time");
    }
    if (type == Boolean.class || type == boolean.class) {
      return schema.put("type", "boolean");
    }
    if (type == Integer.class || type == int.class || type == Long.class || type == long.class) {
      return schema.put("type", "integer");
    }
    if (Number.class.isAssignableFrom(type) || type == double.class) {
      return schema.put("type", "number");
    }
    if (type.isEnum()) {
      return schema.put("type", "string");
    }
    if (!type.isRecord()) {
      return schema;
    }
    // A record with one unnamed component, such as a state, is represented by its value.
    var components = type.getRecordComponents();
    var isValue = components.length == 1 && name(components[0]).isEmpty();
    return isValue ? (ObjectNode) member(components[0].getGenericType()) : reference(type);
  }
}
