package dev.runnel.runs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/// The Agent Run API as its description says it behaves, over a map. A test moves its runs, and may
/// put answers in front of it.
final class FakeRunService extends Dispatcher {
  private static final Set<String> ENDED = Set.of("SUCCEEDED", "FAILED", "ERROR", "CANCELLED");
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .build();

  /// A request that was answered here.
  record Seen(String line, String body, @Nullable String idempotencyKey) {}

  private final Map<String, ObjectNode> runs = new LinkedHashMap<>();
  private final Map<String, Deque<MockResponse>> answers = new LinkedHashMap<>();
  private final List<Seen> seen = new ArrayList<>();
  private final List<Integer> limits = new ArrayList<>();
  private int mostInAPage = Integer.MAX_VALUE;
  private Instant now = Instant.parse("2026-01-05T09:00:00Z");
  private boolean ignoresMetadataFilter;
  private boolean hidesMetadata;
  private boolean hasConversations;
  private boolean cancelsBlocked = true;
  private Optional<MockResponse> refusalOfMetadataFilter = Optional.empty();

  @Override
  public synchronized MockResponse dispatch(RecordedRequest request) {
    var url = request.getUrl();
    var path = url.encodedPath().substring("/api/v1".length());
    var line = request.getMethod() + " " + path;
    var sent = request.getBody();
    var body = sent == null ? "" : sent.utf8();
    seen.add(new Seen(line, body, request.getHeaders().get("Idempotency-Key")));
    var prepared = answers.getOrDefault(line, new ArrayDeque<>());
    if (!prepared.isEmpty()) {
      return prepared.remove();
    }
    var segments = url.pathSegments().subList(2, url.pathSize());
    return switch (line) {
      case "POST /agent/run" -> create(body);
      case "GET /agent/runs" -> list(url);
      default -> one(url, segments, body);
    };
  }

  /// Answers the next such request so, without any effect.
  ///
  /// @param line method and path below `/api/v1`
  synchronized void answersNext(String line, MockResponse response) {
    answers.computeIfAbsent(line, _ -> new ArrayDeque<>()).add(response);
  }

  synchronized void ignoresMetadataFilter() {
    ignoresMetadataFilter = true;
  }

  /// From now on a list by metadata is answered so.
  synchronized void refusesMetadataFilter(MockResponse refusal) {
    refusalOfMetadataFilter = Optional.of(refusal);
  }

  /// Neither filters by metadata nor shows it.
  synchronized void hidesMetadata() {
    ignoresMetadataFilter = true;
    hidesMetadata = true;
  }

  /// From now on it refuses to cancel blocked runs, whatever the request says.
  synchronized void neverCancelsBlocked() {
    cancelsBlocked = false;
  }

  /// From now on it shows what runs were told.
  synchronized void hasConversations() {
    hasConversations = true;
  }

  /// Adds a run that somebody else started.
  synchronized ObjectNode add(String title) {
    return add(title, JSON.createObjectNode());
  }

  synchronized void moves(String id, String state, @Nullable String message) {
    var run = run(id);
    run.put("state", state);
    if (message != null) {
      run.putObject("status_message").put("message", message);
    }
    touch(run);
  }

  synchronized ObjectNode run(String id) {
    var run = runs.get(id);
    if (run == null) {
      throw new IllegalArgumentException("There is no run " + id);
    }
    return run;
  }

  /// How many runs a page was asked for, list by list.
  synchronized List<Integer> limits() {
    return List.copyOf(limits);
  }

  /// As where runs are large.
  synchronized void pagesHoldAtMost(int runs) {
    mostInAPage = runs;
  }

  synchronized List<Seen> seen() {
    return List.copyOf(seen);
  }

  synchronized List<String> lines() {
    return seen.stream().map(Seen::line).toList();
  }

  static MockResponse json(int status, String body) {
    return new MockResponse.Builder()
        .code(status)
        .setHeader("Content-Type", status < 300 ? "application/json" : "application/problem+json")
        .body(body)
        .build();
  }

  static MockResponse problem(int status, String code) {
    return problem(status, code, "It went wrong", "");
  }

  /// @param members in addition, each with a comma in front
  static MockResponse problem(int status, String code, String title, String members) {
    return json(
        status,
        """
        {"type": "https://api.example/errors/%s", "title": "%s", "status": %d, "error": "%s"%s}
        """
            .formatted(code, title, status, title, members));
  }

  static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(json, malformed);
    }
  }

  private MockResponse create(String body) {
    var request = read(body);
    var run = add(request.path("title").asText("Untitled"), request.path("metadata"));
    run.put("prompt", request.path("prompt").asText());
    tell(run, request.path("prompt").asText());
    return json(
        200,
        """
        {"run_id": "%s", "task_id": "%s", "state": "QUEUED"}
        """
            .formatted(run.path("run_id").asText(), run.path("run_id").asText()));
  }

  private ObjectNode add(String title, JsonNode metadata) {
    var id = UUID.randomUUID().toString();
    var run = JSON.createObjectNode();
    run.put("run_id", id).put("task_id", id).put("title", title).put("state", "QUEUED");
    run.put("prompt", title).put("session_link", "https://runs.example/sessions/" + id);
    run.set("metadata", metadata.isObject() ? metadata : JSON.createObjectNode());
    touch(run);
    run.set("created_at", run.get("updated_at"));
    runs.put(id, run);
    return run;
  }

  private MockResponse one(HttpUrl url, List<String> segments, String body) {
    var run = segments.size() < 3 ? null : runs.get(segments.get(2));
    if (run == null) {
      return problem(404, "resource_not_found");
    }
    var state = run.path("state").asText();
    return switch (segments.size() == 3 ? "" : segments.get(3)) {
      case "followups" -> {
        if (read(body).path("message").asText().isBlank()) {
          yield problem(400, "invalid_request");
        }
        tell(run, read(body).path("message").asText());
        if (ENDED.contains(state) || state.equals("BLOCKED")) {
          run.put("state", "QUEUED").remove("status_message");
          touch(run);
        }
        yield json(200, "{\"followup_id\": null, \"outcome\": \"queued_prompt\"}");
      }
      case "conversation" ->
          hasConversations
              ? json(200, "{\"steps\": [{\"messages\": " + run.withArray("told") + "}]}")
              : problem(422, "operation_not_supported");
      case "cancel" -> {
        if (state.equals("PENDING")) {
          yield problem(409, "conflict", "Not yet", ", \"retryable\": true");
        }
        var isIncluded = cancelsBlocked && "true".equals(url.queryParameter("include_blocked"));
        if (ENDED.contains(state) || (state.equals("BLOCKED") && !isIncluded)) {
          yield problem(400, "invalid_request", "The run has ended", "");
        }
        run.put("state", "CANCELLED");
        touch(run);
        yield json(200, run.get("run_id").toString());
      }
      default -> json(200, run.toString());
    };
  }

  private MockResponse list(HttpUrl url) {
    if (refusalOfMetadataFilter.isPresent()
        && url.queryParameterNames().stream().anyMatch(name -> name.startsWith("metadata["))) {
      return refusalOfMetadataFilter.get();
    }
    var sortBy = or(url.queryParameter("sort_by"), "updated_at");
    Comparator<ObjectNode> order = Comparator.comparing(run -> run.path(sortBy).asText());
    if (!or(url.queryParameter("sort_order"), "desc").equals("asc")) {
      order = order.reversed();
    }
    var matching = runs.values().stream().filter(run -> matches(run, url)).sorted(order).toList();
    var from = Integer.parseInt(or(url.queryParameter("cursor"), "0"));
    var limit = Integer.parseInt(or(url.queryParameter("limit"), "20"));
    limits.add(limit);
    var to = Math.min(matching.size(), from + Math.min(limit, mostInAPage));
    var page = JSON.createObjectNode();
    var shown = page.putArray("runs");
    for (var run : matching.subList(from, to)) {
      shown.add(hidesMetadata ? run.deepCopy().without("metadata") : run);
    }
    var info = page.putObject("page_info").put("has_next_page", to < matching.size());
    if (to < matching.size()) {
      info.put("next_cursor", Integer.toString(to));
    }
    return json(200, page.toString());
  }

  private boolean matches(ObjectNode run, HttpUrl url) {
    var createdAfter = url.queryParameter("created_after");
    if (createdAfter != null
        && !Instant.parse(run.path("created_at").asText()).isAfter(Instant.parse(createdAfter))) {
      return false;
    }
    var states = url.queryParameterValues("state");
    if (!states.isEmpty() && !states.contains(run.path("state").asText())) {
      return false;
    }
    var since = url.queryParameter("updated_after");
    if (since != null && !updated(run).isAfter(Instant.parse(since))) {
      return false;
    }
    return ignoresMetadataFilter
        || url.queryParameterNames().stream()
            .filter(name -> name.startsWith("metadata["))
            .allMatch(
                name ->
                    run.path("metadata")
                        .path(name.substring("metadata[".length(), name.length() - 1))
                        .asText()
                        .equals(url.queryParameter(name)));
  }

  private static void tell(ObjectNode run, String words) {
    var message = run.withArray("told").addObject().put("role", "user");
    message.putArray("content").addObject().put("type", "text").put("text", words);
  }

  private void touch(ObjectNode run) {
    now = now.plusMillis(1);
    run.put("updated_at", now.toString());
  }

  private static Instant updated(ObjectNode run) {
    return Instant.parse(run.path("updated_at").asText());
  }

  private static String or(@Nullable String value, String otherwise) {
    return value == null ? otherwise : value;
  }
}
