package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.RunAccess;
import dev.runnel.service.store.RunQueries;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.PageInfo;
import io.javalin.http.Context;
import java.io.IOException;
import java.io.SequenceInputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Routes for runs and their conversations, transcripts and timelines.
public record RunRoutes(
    RunActions actions,
    RunQueries queries,
    RunAccess access,
    SignedLinks links,
    ChangeListener listener,
    RequestBodies bodies) {
  public void register(Api api) {
    api.post("/agent/run", this::create);
    api.post("/agent/runs", this::create);
    api.get("/agent/runs", this::list);
    api.get("/agent/runs/{id}", this::show);
    api.post("/agent/runs/{id}/followups", this::followUp);
    api.post("/agent/runs/{id}/cancel", this::cancel);
    api.post("/agent/runs/{id}/interrupt", this::interrupt);
    api.get("/agent/runs/{id}/timeline", this::timeline);
    api.get("/agent/runs/{id}/harness-usage", this::harnessUsage);
    api.get("/agent/runs/{id}/transcript", this::transcript);
    api.open("/agent/runs/{id}/transcript/text", this::transcriptText);
    api.get("/agent/run-by-external-reference", this::byReference);
    api.getInPieces("/agent/runs/{id}/conversation", this::conversationOfRun);
    api.getInPieces("/agent/conversations/{id}", this::conversation);
    api.get("/agent/conversations/{id}/transcript", this::transcriptOfConversation);
    api.post("/agent/conversations/{id}/followups", this::followUpConversation);
    api.post("/agent/conversations/{id}/interrupt", this::interruptConversation);
    api.open("/agent/sessions/{id}/redirect", this::redirectSession);
    api.open("/agent/conversations/{id}/redirect", this::redirectConversation);
  }

  private void create(Context ctx, Caller caller) throws IOException {
    try (var body = bodies.readWithFiles(ctx, caller, NewRun.PARTS)) {
      var run = NewRun.parse(body.json());
      Api.respond(ctx, actions.create(caller, run, body.idempotencyKey(caller)));
    }
  }

  private void list(Context ctx, Caller caller) throws IOException {
    var page = actions.list(caller, ctx.queryParamMap());
    ctx.contentType("application/json");
    try (var json = ServiceJson.writer(ctx.outputStream())) {
      json.writeStartObject();
      json.writeArrayFieldStart("runs");
      for (var item : page.items()) {
        json.writeTree(item);
      }
      json.writeEndArray();
      json.writePOJOField(
          "page_info",
          new PageInfo(page.nextCursor().isPresent(), page.nextCursor().orElse(null), Map.of()));
      json.writeEndObject();
    }
  }

  private void show(Context ctx, Caller caller) {
    Api.respond(ctx, actions.show(caller, ctx.pathParam("id")).toString());
  }

  private void followUp(Context ctx, Caller caller) throws IOException {
    var id = ctx.pathParam("id");
    Api.respond(ctx, followUp(ctx, caller, id));
  }

  /// Sends the follow-up to the newest run of the conversation.
  private void followUpConversation(Context ctx, Caller caller) throws IOException {
    var id = newestOf(ctx, caller).id();
    var response = (ObjectNode) ServiceJson.read(followUp(ctx, caller, id));
    Api.respond(ctx, response.put("run_id", id).toString());
  }

  private void interruptConversation(Context ctx, Caller caller) {
    newestOf(ctx, caller);
    throw interruptNotSupported();
  }

  private RunRow newestOf(Context ctx, Caller caller) {
    return queries
        .newestOf(ctx.pathParam("id"))
        .filter(run -> access.mayAccess(caller, run.id(), false))
        .orElseThrow(RunRoutes::noConversation);
  }

  private static RequestProblem noConversation() {
    return new RequestProblem(
        RequestProblem.Code.RESOURCE_NOT_FOUND, "No conversation has this id");
  }

  private String followUp(Context ctx, Caller caller, String id) throws IOException {
    try (var body = bodies.read(ctx, caller)) {
      var message = ServiceJson.convert(body.json(), FollowUpMessage.class);
      return actions.followUp(caller, id, message, body.idempotencyKey(caller));
    }
  }

  private void cancel(Context ctx, Caller caller) {
    var id = ctx.pathParam("id");
    actions.cancel(caller, id, Api.flag(ctx, "include_blocked"));
    Api.respond(ctx, ServiceJson.write(id));
  }

  private void interrupt(Context ctx, Caller caller) {
    find(ctx, caller);
    throw interruptNotSupported();
  }

  private static RequestProblem interruptNotSupported() {
    return new RequestProblem(
        RequestProblem.Code.OPERATION_NOT_SUPPORTED,
        "This service cannot interrupt a run without a message. Cancel the run, or send a follow-up"
            + " with interrupt: true.");
  }

  private void timeline(Context ctx, Caller caller) {
    var run = find(ctx, caller);
    var body = ServiceJson.newObject();
    var events = body.putArray("events");
    queries.timeline(run.id()).forEach(event -> events.add(ServiceJson.object(event)));
    Api.respond(ctx, body.toString());
  }

  private void harnessUsage(Context ctx, Caller caller) {
    Api.respond(ctx, HarnessUsage.of(find(ctx, caller)).toString());
  }

  private void transcript(Context ctx, Caller caller) {
    redirectToTranscript(ctx, caller, find(ctx, caller).id());
  }

  /// Redirects to the transcript of the newest run of the conversation.
  private void transcriptOfConversation(Context ctx, Caller caller) {
    redirectToTranscript(ctx, caller, newestOf(ctx, caller).id());
  }

  private void redirectToTranscript(Context ctx, Caller caller, String id) {
    listener.read(caller, id);
    ctx.status(302)
        .header(
            "Location",
            Api.BASE
                + "/agent/runs/"
                + id
                + "/transcript/text?"
                + links.of("transcript " + id).query());
  }

  private void transcriptText(Context ctx, Caller anonymous) {
    var id = ctx.pathParam("id");
    if (!links.isValid("transcript " + id, ctx)) {
      throw Api.notFound();
    }
    ctx.contentType("text/plain; charset=utf-8")
        .result(new SequenceInputStream(new TranscriptPages(queries, id)));
  }

  private void byReference(Context ctx, Caller caller) {
    var url =
        Optional.ofNullable(ctx.queryParam("url"))
            .filter(it -> !it.isBlank())
            .orElseThrow(
                () -> RequestProblem.invalid("url must be the URL of an artifact of a run"));
    var id =
        queries.idsByArtifact(url).stream()
            .filter(run -> access.mayAccess(caller, run, false))
            .findFirst()
            .orElseThrow(RequestProblem::noRun);
    Api.respond(ctx, ServiceJson.newObject().put("run_id", id).toString());
  }

  private void conversationOfRun(Context ctx, Caller caller) throws IOException {
    var run = find(ctx, caller);
    respondConversation(ctx, caller, run.conversationId().orElse(run.id()), List.of(run.id()));
  }

  private void conversation(Context ctx, Caller caller) throws IOException {
    var id = ctx.pathParam("id");
    var runs =
        queries.runsOf(id).stream().filter(run -> access.mayAccess(caller, run, false)).toList();
    if (runs.isEmpty()) {
      throw noConversation();
    }
    respondConversation(ctx, caller, id, runs);
  }

  private void respondConversation(Context ctx, Caller caller, String id, List<String> runs)
      throws IOException {
    runs.forEach(run -> listener.read(caller, run));
    ctx.contentType("application/json");
    var json = new ConversationJson(ctx.outputStream(), id);
    for (var run : runs) {
      ConversationSteps.write(run, queries, json);
    }
    json.end();
  }

  private void redirectSession(Context ctx, Caller anonymous) {
    var run = queries.bySession(ctx.pathParam("id")).orElseThrow(RequestProblem::noRun);
    var body = ServiceJson.newObject();
    run.conversationId().ifPresent(id -> body.put("conversation_id", id));
    Api.respond(ctx, body.toString());
  }

  private void redirectConversation(Context ctx, Caller anonymous) {
    var run = queries.newestOf(ctx.pathParam("id")).orElseThrow(RequestProblem::noRun);
    var body = ServiceJson.newObject();
    run.sessionId().ifPresent(id -> body.put("session_id", id));
    Api.respond(ctx, body.toString());
  }

  private RunRow find(Context ctx, Caller caller) {
    return actions.find(caller, ctx.pathParam("id"));
  }
}
