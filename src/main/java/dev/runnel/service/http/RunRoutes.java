package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.execution.ConfigResolution;
import dev.runnel.service.execution.RunQueue;
import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.IdempotencyKey;
import dev.runnel.service.run.Json;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.store.Factories;
import dev.runnel.service.store.RunAccess;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.RunQuery;
import dev.runnel.service.store.RunService;
import dev.runnel.service.store.UntakenFollowUp;
import dev.runnel.service.workspace.Environment;
import dev.runnel.wire.Conversation;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.PageInfo;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.SequenceInputStream;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Routes for runs and their conversations, transcripts and timelines.
public final class RunRoutes {
  private final RunService book;
  private final RunQueries index;
  private final RunQueue queue;
  private final ConfigResolution configs;
  private final Factories factories;
  private final ServiceSettings settings;
  private final InstantSource clock;
  private final SignedLinks links;
  private final RunAccess access;

  public RunRoutes(
      RunService book,
      RunQueries index,
      RunQueue queue,
      ConfigResolution configs,
      Factories factories,
      ServiceSettings settings,
      SignedLinks links,
      InstantSource clock) {
    this.book = book;
    this.index = index;
    this.queue = queue;
    this.configs = configs;
    this.factories = factories;
    this.settings = settings;
    this.clock = clock;
    this.links = links;
    this.access = new RunAccess(index);
  }

  public void register(Api api) {
    api.post("/agent/run", this::create);
    api.post("/agent/runs", this::create);
    api.get("/agent/runs", this::list);
    api.get("/agent/runs/{id}", this::show);
    api.post("/agent/runs/{id}/followups", this::followUp);
    api.post("/agent/runs/{id}/cancel", this::cancel);
    api.post("/agent/runs/{id}/interrupt", this::interrupt);
    api.get("/agent/runs/{id}/timeline", this::timeline);
    api.get("/agent/runs/{id}/transcript", this::transcript);
    api.open("/agent/runs/{id}/transcript/text", this::transcriptText);
    api.get("/agent/run-by-external-reference", this::byReference);
    api.get("/agent/runs/{id}/conversation", this::conversationOfRun);
    api.get("/agent/conversations/{id}", this::conversation);
    api.post("/agent/conversations/{id}/followups", this::followUpConversation);
    api.post("/agent/conversations/{id}/interrupt", this::interruptConversation);
    api.open("/agent/sessions/{id}/redirect", this::ofSession);
    api.open("/agent/conversations/{id}/redirect", this::ofConversation);
  }

  private void create(Context ctx, Caller caller) {
    var run = NewRun.parse(Json.body(ctx.bodyAsBytes()));
    if (run.identityUid().isPresent()) {
      if (factories.isForeman(run.identityUid().get())) {
        throw RequestProblem.invalid(
            "A foreman gets its work by a dispatch: POST /factory/{uid}/runs");
      }
    }
    if (caller.scope() instanceof Caller.Scope.Below(String parent)) {
      if (run.onBehalfOf().isPresent()) {
        throw new RequestProblem(
            RequestProblem.Code.NOT_AUTHORIZED,
            "An agent starts runs in its own name: leave on_behalf_of out");
      }
      var wanted = run.parentRunId().orElse(parent);
      access.require(caller, wanted, true);
      run.conversationId().ifPresent(id -> requireConversation(caller, id));
      run =
          configs.resolvedBelow(
              run.withParentRunId(Optional.of(wanted)),
              index.find(wanted).orElseThrow(RequestProblem::noRun));
    } else {
      run = configs.resolved(run);
    }
    Api.answer(ctx, book.create(run, caller, Optional.empty(), IdempotencyKey.of(ctx, caller)));
  }

  /// A caller who may not read a conversation may not have an agent read it.
  private void requireConversation(Caller caller, String id) {
    if (!index.runsOf(id).stream().allMatch(run -> access.isOpen(caller, run, false))) {
      throw RequestProblem.invalid("conversation_id names no conversation");
    }
  }

  private void list(Context ctx, Caller caller) throws IOException {
    var parameters = new HashMap<>(ctx.queryParamMap());
    limitToFamily(caller, parameters);
    parameters.computeIfPresent("environment_id", (_, asked) -> withUids(asked));
    var page = index.list(RunQuery.parse(parameters));
    var now = clock.instant();
    var url = settings.publicUrl().get();
    var untaken = index.untaken(page.runs());
    ctx.contentType("application/json");
    try (var json = Json.writer(ctx.outputStream())) {
      json.writeStartObject();
      json.writeArrayFieldStart("runs");
      for (var run : page.runs()) {
        var item = run.show(url, now);
        UntakenFollowUp.show(item, untaken.getOrDefault(run.id(), List.of()), false);
        json.writeTree(item);
      }
      json.writeEndArray();
      json.writePOJOField(
          "page_info",
          new PageInfo(page.nextCursor().isPresent(), page.nextCursor().orElse(null), Map.of()));
      json.writeEndObject();
    }
  }

  /// Adds the uids of environments that are given by name, since runs store the uid.
  private List<String> withUids(List<String> asked) {
    var uids =
        asked.stream()
            .filter(name -> !name.isBlank())
            .flatMap(name -> settings.environments().find(name).stream().map(Environment::uid));
    return Stream.concat(asked.stream(), uids).distinct().toList();
  }

  /// Restricts the list to runs below the caller's own run. An ancestor that does not exist or that
  /// the caller may not see is an error, not an empty list.
  private void limitToFamily(Caller caller, Map<String, List<String>> parameters) {
    if (caller.scope() instanceof Caller.Scope.Below(String parent)) {
      parameters.putIfAbsent("ancestor_run_id", List.of(parent));
    }
    for (var id : parameters.getOrDefault("ancestor_run_id", List.of())) {
      if (!access.isOpen(caller, id, true) || index.find(id).isEmpty()) {
        throw RequestProblem.invalid("ancestor_run_id names no run");
      }
    }
  }

  private void show(Context ctx, Caller caller) {
    var run = find(ctx, caller);
    var item = run.show(settings.publicUrl().get(), clock.instant());
    var untaken = index.untaken(List.of(run)).getOrDefault(run.id(), List.of());
    UntakenFollowUp.show(item, untaken, true);
    Api.answer(ctx, item.toString());
  }

  private void followUp(Context ctx, Caller caller) {
    var id = ctx.pathParam("id");
    Api.answer(ctx, followUp(ctx, caller, id));
  }

  /// Sends the follow-up to the newest run of the conversation.
  private void followUpConversation(Context ctx, Caller caller) {
    var id = newestOf(ctx, caller).id();
    var answer = (ObjectNode) Json.read(followUp(ctx, caller, id));
    Api.answer(ctx, answer.put("run_id", id).toString());
  }

  private void interruptConversation(Context ctx, Caller caller) {
    newestOf(ctx, caller);
    throw notInterrupted();
  }

  private RunRow newestOf(Context ctx, Caller caller) {
    return index
        .newestOf(ctx.pathParam("id"))
        .filter(run -> access.isOpen(caller, run.id(), false))
        .orElseThrow(RunRoutes::noConversation);
  }

  private static RequestProblem noConversation() {
    return new RequestProblem(
        RequestProblem.Code.RESOURCE_NOT_FOUND, "No conversation has this id");
  }

  private String followUp(Context ctx, Caller caller, String id) {
    var message = Json.convert(Json.body(ctx.bodyAsBytes()), FollowUpMessage.class);
    var text = message.message();
    if (message.attachments() != null && !message.attachments().isEmpty()) {
      throw new RequestProblem(
          RequestProblem.Code.OPERATION_NOT_SUPPORTED,
          "No attachment was prepared here: follow-ups take text only");
    }
    if (text == null || text.isBlank()) {
      throw RequestProblem.invalid("A follow-up needs a message");
    }
    if (text.indexOf('\0') >= 0) {
      throw RequestProblem.invalid("The message holds a NUL character");
    }
    var mode = Optional.ofNullable(message.mode()).map(NewRun::checkMode);
    access.require(caller, id, false);
    return book.followUp(id, text, mode, IdempotencyKey.of(ctx, caller));
  }

  private void cancel(Context ctx, Caller caller) {
    var asked = clock.instant();
    var id = ctx.pathParam("id");
    access.require(caller, id, false);
    queue.cancel(id, asked);
    Api.answer(ctx, Json.write(id));
  }

  private void interrupt(Context ctx, Caller caller) {
    find(ctx, caller);
    throw notInterrupted();
  }

  private static RequestProblem notInterrupted() {
    return new RequestProblem(
        RequestProblem.Code.OPERATION_NOT_SUPPORTED,
        "Agents here cannot be interrupted. Cancel the run, and go on with a follow-up.");
  }

  private void timeline(Context ctx, Caller caller) {
    var run = find(ctx, caller);
    var body = Json.newObject();
    var events = body.putArray("events");
    index.timeline(run.id()).forEach(event -> events.add(Json.object(event)));
    Api.answer(ctx, body.toString());
  }

  private void transcript(Context ctx, Caller caller) {
    var id = find(ctx, caller).id();
    ctx.status(302)
        .header(
            "Location",
            Api.BASE
                + "/agent/runs/"
                + id
                + "/transcript/text?"
                + links.of("transcript " + id).query());
  }

  private void transcriptText(Context ctx, Caller anybody) {
    var id = ctx.pathParam("id");
    if (!links.opens("transcript " + id, ctx)) {
      throw Api.nothing();
    }
    ctx.contentType("text/plain; charset=utf-8")
        .result(new SequenceInputStream(new TranscriptPages(index, id)));
  }

  private void byReference(Context ctx, Caller caller) {
    var url =
        Optional.ofNullable(ctx.queryParam("url"))
            .filter(it -> !it.isBlank())
            .orElseThrow(() -> RequestProblem.invalid("Give the url of what a run made"));
    var id = index.idByArtifact(url).orElseThrow(RequestProblem::noRun);
    access.require(caller, id, false);
    Api.answer(ctx, Json.newObject().put("run_id", id).toString());
  }

  private void conversationOfRun(Context ctx, Caller caller) {
    var run = find(ctx, caller);
    answerConversation(ctx, run.conversationId().orElse(run.id()), List.of(run.id()));
  }

  private void conversation(Context ctx, Caller caller) {
    var id = ctx.pathParam("id");
    var runs = index.runsOf(id).stream().filter(run -> access.isOpen(caller, run, false)).toList();
    if (runs.isEmpty()) {
      throw noConversation();
    }
    answerConversation(ctx, id, runs);
  }

  private void answerConversation(Context ctx, String id, List<String> runs) {
    var steps = runs.stream().flatMap(run -> ConversationSteps.of(run, index).stream()).toList();
    Api.answer(ctx, Json.write(new Conversation(id, steps, Map.of())));
  }

  private void ofSession(Context ctx, Caller anybody) {
    var run = index.bySession(ctx.pathParam("id")).orElseThrow(RequestProblem::noRun);
    var body = Json.newObject();
    run.conversationId().ifPresent(id -> body.put("conversation_id", id));
    Api.answer(ctx, body.toString());
  }

  private void ofConversation(Context ctx, Caller anybody) {
    var run = index.newestOf(ctx.pathParam("id")).orElseThrow(RequestProblem::noRun);
    var body = Json.newObject();
    run.sessionId().ifPresent(id -> body.put("session_id", id));
    Api.answer(ctx, body.toString());
  }

  private RunRow find(Context ctx, Caller caller) {
    var id = ctx.pathParam("id");
    access.require(caller, id, false);
    return index.show(id).orElseThrow(RequestProblem::noRun);
  }
}
