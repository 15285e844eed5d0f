package dev.runnel.service.http;

import static dev.runnel.service.http.McpTool.Parameter.number;
import static dev.runnel.service.http.McpTool.Parameter.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.http.McpTool.Arguments;
import dev.runnel.service.http.McpTool.Effect;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.run.TranscriptPart;
import dev.runnel.service.run.TriggerMetadata;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunWatchers;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.RunMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The tools of the MCP server. Each corresponds to a call of the API, with the same checks and the
/// same JSON for runs.
public final class McpTools {
  /// Below the default timeout of clients, which is one minute.
  private static final int MAX_WAIT_SECONDS = 50;

  private static final int MAX_LISTED = 50;
  private static final int DEFAULT_LISTED = 20;

  /// About ten thousand tokens, which a model can read in one response.
  private static final int MAX_TRANSCRIPT_CHARS = 40_000;

  private static final Set<ExecutionState> WORKING =
      Set.of(ExecutionState.QUEUED, ExecutionState.INPROGRESS);
  private static final List<String> LIST_MEMBERS =
      List.of(
          "run_id",
          "title",
          "state",
          "status_message",
          "created_at",
          "updated_at",
          "finished_at",
          "session_link");
  private static final List<String> DETAIL_MEMBERS =
      List.of(
          """
          prompt run_time parent_run_id trigger_url artifacts agent_config evidence
          pending_followups unread_followups
          """
              .split("\\s+"));

  private final RunActions actions;
  private final RunQueries queries;
  private final RunWatchers watchers;
  private final ChangeListener listener;
  private final List<McpTool> tools;

  public McpTools(
      RunActions actions, RunQueries queries, RunWatchers watchers, ChangeListener listener) {
    this.actions = actions;
    this.queries = queries;
    this.watchers = watchers;
    this.listener = listener;
    var runId = text("run_id", "The run's id").asRequired();
    this.tools =
        List.of(
            new McpTool(
                "start_run",
                "Starts a run: a coding agent works on the prompt in a workspace of its own."
                    + " Returns the run at once, before the agent has begun.",
                Effect.WRITES,
                List.of(
                    text("prompt", "What the agent shall do, with all that it needs to know")
                        .asRequired(),
                    text("title", "A short name for lists; usually made from the prompt"),
                    text("environment", "The name of the environment with the repositories"),
                    text("model", "The model that the agent shall use"),
                    text(
                        "idempotency_key",
                        "Any text of your own: a repeated call with the same key and arguments"
                            + " returns the run of the first and starts none"),
                    text("mode", "plan: the agent only writes a plan; send_message approves it")
                        .oneOf(List.of(RunMode.NORMAL.value(), RunMode.PLAN.value()))),
                this::start),
            new McpTool(
                "send_message",
                "Sends a message to a run: steers one that works, answers one that waits (BLOCKED),"
                    + " and continues one that has ended.",
                Effect.WRITES,
                List.of(runId, text("message", "What to tell the agent").asRequired()),
                this::send),
            new McpTool(
                "stop_run",
                "Stops a run and ends all its processes. Also ends a run that waits for an answer.",
                Effect.DESTROYS,
                List.of(runId),
                this::stop),
            new McpTool(
                "list_runs",
                "Lists runs, the last changed first.",
                Effect.READS,
                List.of(
                    text("state", "Only runs in this state")
                        .oneOf(Arrays.stream(ExecutionState.values()).map(Enum::name).toList()),
                    text("query", "Only runs whose title or prompt contains this text"),
                    number("limit", "At most so many; usually " + DEFAULT_LISTED, MAX_LISTED),
                    text("cursor", "next_cursor of the page before")),
                this::list),
            new McpTool(
                "get_run",
                "Shows a run. status_message is what the agent does, its question (BLOCKED), its"
                    + " answer (SUCCEEDED) or why it failed. With wait_seconds it returns as soon"
                    + " as the run has ended or waits for an answer.",
                Effect.READS,
                List.of(
                    runId,
                    number(
                        "wait_seconds",
                        "How long to wait while the run is queued or works; usually 0",
                        MAX_WAIT_SECONDS)),
                this::show),
            new McpTool(
                "read_transcript",
                "Reads what a run's agent said and did, line by line, in pages.",
                Effect.READS,
                List.of(
                    runId,
                    number(
                        "after_line", "The last line already read; usually 0", Integer.MAX_VALUE)),
                this::transcript));
  }

  /// The tools that the caller's key permits.
  ArrayNode list(Caller caller) {
    var list = ServiceJson.newObject().putArray("tools");
    tools.stream().filter(tool -> permits(caller, tool)).map(McpTool::show).forEach(list::add);
    return list;
  }

  /// @param params of `tools/call`
  /// @return its result; an error that the model can correct is part of it
  ObjectNode call(Caller caller, ObjectNode params) {
    var name = params.path("name").asText();
    var tool =
        tools.stream()
            .filter(it -> it.name().equals(name))
            .findFirst()
            .orElseThrow(() -> McpError.invalidParams(200, "Unknown tool: " + name));
    var arguments = params.path("arguments");
    if (!arguments.isMissingNode() && !arguments.isObject()) {
      throw McpError.invalidParams(200, "arguments must be an object");
    }
    try {
      if (!permits(caller, tool)) {
        throw AuthFilter.readOnlyKey();
      }
      return result(
          tool.call(
              caller, arguments instanceof ObjectNode object ? object : ServiceJson.newObject()),
          false);
    } catch (RequestProblem e) {
      return result(e.code().title() + ": " + e.detail(), true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return result("The server is shutting down. Try again soon", true);
    }
  }

  private static boolean permits(Caller caller, McpTool tool) {
    return tool.effect() == Effect.READS || !(caller.scope() instanceof Caller.Scope.Reading);
  }

  private static ObjectNode result(String text, boolean isError) {
    var result = ServiceJson.newObject();
    result.putArray("content").addObject().put("type", "text").put("text", text);
    return result.put("isError", isError);
  }

  private String start(Caller caller, Arguments arguments) {
    var body = ServiceJson.newObject();
    for (var member : List.of("prompt", "title", "mode")) {
      arguments.text(member).ifPresent(it -> body.put(member, it));
    }
    var config = ServiceJson.newObject();
    arguments.text("environment").ifPresent(it -> config.put("environment_id", it));
    arguments.text("model").ifPresent(it -> config.put("model_id", it));
    if (!config.isEmpty()) {
      body.set("config", config);
    }
    var key =
        arguments
            .text("idempotency_key")
            .filter(it -> !it.isBlank())
            .map(it -> IdempotencyKey.of(it, body.toString(), caller));
    body.putObject("metadata").put(TriggerMetadata.CLIENT, TriggerMetadata.MCP);
    var created = ServiceJson.read(actions.create(caller, NewRun.parse(body), key));
    return details(caller, created.path("run_id").asText());
  }

  private String send(Caller caller, Arguments arguments) {
    var id = id(arguments);
    var message = FollowUpMessage.builder().message(arguments.text("message").orElse("")).build();
    return actions.followUp(caller, id, message, Optional.empty());
  }

  private String stop(Caller caller, Arguments arguments) {
    var id = id(arguments);
    actions.cancel(caller, id, true);
    return details(caller, id);
  }

  private String list(Caller caller, Arguments arguments) {
    var parameters = new HashMap<String, List<String>>();
    var limit = Math.max(1, arguments.number("limit", DEFAULT_LISTED));
    parameters.put("limit", List.of(Integer.toString(limit)));
    Map.of("state", "state", "query", "q", "cursor", "cursor")
        .forEach(
            (argument, parameter) ->
                arguments.text(argument).ifPresent(it -> parameters.put(parameter, List.of(it))));
    var page = actions.list(caller, parameters);
    var response = ServiceJson.newObject();
    var runs = response.putArray("runs");
    page.items().forEach(run -> runs.add(select(run, LIST_MEMBERS)));
    page.nextCursor().ifPresent(cursor -> response.put("next_cursor", cursor));
    return response.toString();
  }

  private String show(Caller caller, Arguments arguments) throws InterruptedException {
    var id = id(arguments);
    var deadline =
        System.nanoTime() + Duration.ofSeconds(arguments.number("wait_seconds", 0)).toNanos();
    var changes = new Semaphore(0);
    try (var _ = watchers.watch(id, changes::release)) {
      while (WORKING.contains(actions.find(caller, id).state())
          && changes.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        changes.drainPermits();
      }
    }
    return details(caller, id);
  }

  private String details(Caller caller, String id) {
    var run = actions.show(caller, id);
    return select(run, LIST_MEMBERS).setAll(select(run, DETAIL_MEMBERS)).toString();
  }

  private static ObjectNode select(JsonNode run, List<String> members) {
    var selected = ServiceJson.newObject();
    for (var member : members) {
      if (run.hasNonNull(member)) {
        selected.set(member, run.get(member));
      }
    }
    return selected;
  }

  private String transcript(Caller caller, Arguments arguments) {
    var id = id(arguments);
    var run = actions.find(caller, id);
    listener.read(caller, id);
    var after = arguments.number("after_line", 0);
    var part = queries.transcript(id, after).orElseThrow(RequestProblem::noRun);
    var text = new StringBuilder();
    var last = (long) after;
    for (var line : part.lines()) {
      var shown = lineText(line);
      if (!text.isEmpty() && text.length() + shown.length() > MAX_TRANSCRIPT_CHARS) {
        break;
      }
      text.append(shown, 0, Math.min(shown.length(), MAX_TRANSCRIPT_CHARS)).append('\n');
      last = line.number();
    }
    return text + footer(run.state(), part, last);
  }

  private static String lineText(TranscriptLine line) {
    return "%d %s: %s"
        .formatted(line.number(), line.kind().name().toLowerCase(Locale.ROOT), line.text());
  }

  private static String footer(ExecutionState state, TranscriptPart part, long last) {
    var isCut = !part.lines().isEmpty() && part.lines().getLast().number() > last;
    return isCut || part.mayGrow()
        ? "(%s. Continue with after_line %d)".formatted(state, last)
        : "(%s. End of the transcript)".formatted(state);
  }

  private static String id(Arguments arguments) {
    return arguments.text("run_id").orElse("");
  }
}
