package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.execution.ConfigResolution;
import dev.runnel.service.execution.RunQueue;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.ChangeListener.Action;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.RunAccess;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.UnreadFollowUp;
import dev.runnel.service.store.query.RunQuery;
import dev.runnel.service.workspace.Environment;
import dev.runnel.text.ToolReply;
import dev.runnel.wire.FollowUpMessage;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The operations of callers on runs, with checks of their permissions. Shared by the API and the
/// MCP server. For a caller without access, a run does not exist.
public record RunActions(
    RunService runs,
    RunQueries queries,
    RunAccess access,
    RunQueue queue,
    ConfigResolution configs,
    ServiceSettings settings,
    ChangeListener listener,
    InstantSource clock) {
  /// @return a [dev.runnel.wire.CreatedRun]
  String create(Caller caller, NewRun request, Optional<IdempotencyKey> key) {
    var run =
        caller.scope() instanceof Caller.Scope.Below(String parent)
            ? childRequest(parent, caller, request)
            : configs.resolved(request);
    var created = runs.create(run, caller, Optional.empty(), key);
    listener.acted(caller, Action.START, ServiceJson.read(created).path("run_id").asText());
    return created;
  }

  private NewRun childRequest(String parent, Caller caller, NewRun request) {
    if (request.onBehalfOf().isPresent()) {
      throw new RequestProblem(
          RequestProblem.Code.NOT_AUTHORIZED,
          "An agent can start runs only in its own name: leave on_behalf_of out");
    }
    var parentId = request.parentRunId().orElse(parent);
    access.require(caller, parentId, true);
    request.conversationId().ifPresent(id -> requireConversation(caller, id));
    return configs.resolvedForChild(
        request.withParentRunId(Optional.of(parentId)),
        queries.find(parentId).orElseThrow(RequestProblem::noRun));
  }

  /// A caller without access to a conversation must not pass it to an agent.
  private void requireConversation(Caller caller, String id) {
    if (!queries.runsOf(id).stream().allMatch(run -> access.mayAccess(caller, run, false))) {
      throw RequestProblem.invalid("conversation_id names no conversation");
    }
  }

  /// @param items the runs as JSON, created lazily; can be iterated once
  record Page(Iterable<ObjectNode> items, Optional<String> nextCursor) {}

  /// @param query filters, order and position, as in the query of `GET /agent/runs`
  Page list(Caller caller, Map<String, List<String>> query) {
    var parameters = new HashMap<>(query);
    limitToDescendants(caller, parameters);
    parameters.computeIfPresent("environment_id", (_, names) -> withUids(names));
    var page = queries.list(RunQuery.parse(parameters));
    var now = clock.instant();
    var url = settings.publicUrl().get();
    var unread = queries.unread(page.runs());
    Iterator<ObjectNode> items =
        page.runs().stream()
            .map(
                run -> {
                  var item = run.toJson(url, now);
                  UnreadFollowUp.addTo(item, unread.getOrDefault(run.id(), List.of()), false);
                  return item;
                })
            .iterator();
    return new Page(() -> items, page.nextCursor());
  }

  /// Adds the uids of environments that are given by name, since runs store the uid.
  private List<String> withUids(List<String> names) {
    var uids =
        names.stream()
            .filter(name -> !name.isBlank())
            .flatMap(name -> settings.environments().find(name).stream().map(Environment::uid));
    return Stream.concat(names.stream(), uids).distinct().toList();
  }

  /// Restricts the list to runs below the caller's own run. An ancestor that does not exist or that
  /// the caller may not see is an error, not an empty list.
  private void limitToDescendants(Caller caller, Map<String, List<String>> parameters) {
    if (caller.scope() instanceof Caller.Scope.Below(String parent)) {
      parameters.putIfAbsent("ancestor_run_id", List.of(parent));
    }
    for (var id : parameters.getOrDefault("ancestor_run_id", List.of())) {
      if (!access.mayAccess(caller, id, true) || queries.find(id).isEmpty()) {
        throw RequestProblem.invalid("ancestor_run_id names no run");
      }
    }
  }

  RunRow find(Caller caller, String id) {
    access.require(caller, id, false);
    return queries.show(id).orElseThrow(RequestProblem::noRun);
  }

  /// A [dev.runnel.wire.RunItem], with the messages that no agent has received.
  ObjectNode show(Caller caller, String id) {
    var run = find(caller, id);
    var item = run.toJson(settings.publicUrl().get(), clock.instant());
    var unread = queries.unread(List.of(run)).getOrDefault(run.id(), List.of());
    UnreadFollowUp.addTo(item, unread, true);
    return item;
  }

  /// @return a [dev.runnel.wire.FollowUpAccepted]
  String followUp(Caller caller, String id, FollowUpMessage message, Optional<IdempotencyKey> key) {
    var text = message.message();
    if (message.attachments() != null && !message.attachments().isEmpty()) {
      throw new RequestProblem(
          RequestProblem.Code.OPERATION_NOT_SUPPORTED,
          "Follow-ups with attachments are not supported: send text only");
    }
    if (text == null) {
      throw needsMessage();
    }
    if (text.indexOf('\0') >= 0) {
      throw RequestProblem.invalid("The message contains a NUL character");
    }
    var mode = Optional.ofNullable(message.mode()).map(NewRun::checkMode);
    access.require(caller, id, false);
    if (caller.scope() instanceof Caller.Scope.Below && ToolReply.of(text).isAllowed()) {
      throw new RequestProblem(
          RequestProblem.Code.NOT_AUTHORIZED,
          "Only people can permit the use of a tool. Rephrase the message if it means something"
              + " else.");
    }
    var interrupts = message.more().getOrDefault("interrupt", BooleanNode.FALSE);
    if (!interrupts.isBoolean()) {
      throw RequestProblem.invalid("interrupt must be true or false");
    }
    var words = text.isBlank() ? textForEmptyMessage(id) : text;
    var accepted = runs.followUp(id, words, caller, mode, interrupts.booleanValue(), key);
    listener.acted(caller, Action.SAY, id);
    return accepted;
  }

  /// The text of an empty message, which only a run that continues a conversation and asks nobody
  /// takes: it answers no question.
  private String textForEmptyMessage(String id) {
    if (queries
        .find(id)
        .filter(run -> run.state() != ExecutionState.BLOCKED)
        .flatMap(RunRow::conversationId)
        .filter(conversation -> !conversation.equals(id))
        .isEmpty()) {
      throw needsMessage();
    }
    return "Continue the conversation.";
  }

  private static RequestProblem needsMessage() {
    return RequestProblem.invalid("A follow-up needs a message");
  }

  /// Stops a run, and waits until its processes have ended, for about the grace time.
  ///
  /// @param includesBlocked whether a run that waits for a person is stopped, too
  void cancel(Caller caller, String id, boolean includesBlocked) {
    var requestedAt = clock.instant();
    access.require(caller, id, false);
    queue.cancel(id, includesBlocked, requestedAt);
    listener.acted(caller, Action.STOP, id);
  }
}
