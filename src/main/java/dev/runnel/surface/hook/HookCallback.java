package dev.runnel.surface.hook;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.ProxyRefused;
import dev.runnel.surface.kit.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/// Posts a run's updates to a hook's callback URL, as JSON with the hook's kind of authentication.
///
/// A notice that is resent because its response was lost has the same `id`.
final class HookCallback {
  /// The field that marks our own posts, in case a callback URL leads back to a hook.
  private static final String OWN_FIELD = "runnel";

  /// Where [#isOurs] looks.
  static final JsonPointer OWN_PLACE = Hook.place("/" + OWN_FIELD + "/id");

  private static final MediaType JSON_TYPE = MediaType.get("application/json");
  private static final Duration TIMEOUT = Duration.ofSeconds(15);

  private final OkHttpClient http;
  private final InstantSource clock;

  HookCallback(OkHttpClient http, InstantSource clock) {
    this.http =
        http.newBuilder()
            .callTimeout(TIMEOUT)
            .retryOnConnectionFailure(false)
            // The credential is sent to the configured URL only.
            .followRedirects(false)
            .build();
    this.clock = clock;
  }

  static boolean isOurs(JsonNode body) {
    return !body.at(OWN_PLACE).isMissingNode();
  }

  Posting post(Hook hook, URI address, Notice notice) {
    var body = bytes(hook, notice);
    var request =
        new Request.Builder().url(address.toString()).post(RequestBody.create(body, JSON_TYPE));
    hook.proof().headers(notice.id().value(), clock.instant(), body).forEach(request::header);
    try (var response = http.newCall(request.build()).execute()) {
      return posting(notice, response);
    } catch (IOException unreachable) {
      return new Posting.Later(
          Optional.empty(),
          "The hook's callback cannot be reached: " + ProxyRefused.why(unreachable));
    }
  }

  private static Posting posting(Notice notice, Response response) {
    var status = response.code();
    if (response.isSuccessful()) {
      return new Posting.Posted(new PostRef(notice.id().value()), notice.conversation());
    }
    var why = "The hook's callback responded with status " + status;
    return status == 408 || status == 429 || status >= 500
        ? new Posting.Later(retryAfter(response), why)
        : new Posting.Undeliverable(why + ".");
  }

  private static Optional<Duration> retryAfter(Response response) {
    return Optional.ofNullable(response.header("Retry-After"))
        .filter(it -> it.matches("[0-9]{1,6}"))
        .map(it -> Duration.ofSeconds(Long.parseLong(it)));
  }

  private static byte[] bytes(Hook hook, Notice notice) {
    var body = Json.object();
    body.putObject(OWN_FIELD).put("id", notice.id().value()).put("hook", hook.name());
    var key = notice.conversation().key();
    body.put("conversation", key.substring(key.indexOf('/') + 1));
    body.put("at", notice.createdAt().toString());
    write(notice.update(), body);
    return body.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void write(Update update, ObjectNode body) {
    switch (update) {
      case Update.Status(var run, _, _, _, _, _, _) -> run(body, "status", run);
      case Update.Still(var status) -> write(status, body);
      case Update.Blocked(var run, _, var question) ->
          run(body, "blocked", run).put("message", question);
      case Update.QuestionClosed(var run, var question, var answer, _) -> {
        run(body, "question_closed", run).put("message", question);
        answer.ifPresent(it -> body.put("answer", it));
      }
      case Update.Succeeded(var run, _, _, _) -> run(body, "succeeded", run);
      case Update.Failed(var run, _, var why, var retryable) ->
          run(body, "failed", run).put("message", why).put("retryable", retryable);
      case Update.Cancelled(var run, _, _, var unread) -> {
        run(body, "cancelled", run);
        if (!unread.isEmpty()) {
          unread.forEach(body.putArray("unread")::add);
        }
      }
      case Update.Reminder(var run, _, var question, _, _, _) ->
          run(body, "reminder", run).put("message", question);
      case Update.FileMade(var run, _, var file, _) ->
          run(body, "file", run).put("file", file.name());
      case Update.Message(_, var text, _) -> body.put("event", "told").put("message", text);
      case Update.Listed _,
          Update.Answered _,
          Update.Screened _,
          Update.Helped _,
          Update.Received _ ->
          body.put("event", "received");
    }
  }

  private static ObjectNode run(ObjectNode body, String event, Run run) {
    body.put("event", event)
        .put("run_id", run.id().value())
        .put("title", run.title())
        .put("state", state(run));
    run.message().ifPresent(it -> body.put("message", it));
    run.session().ifPresent(it -> body.put("session", it.toString()));
    run.cost().ifPresent(it -> body.put("cost", it));
    var links = body.putArray("artifacts");
    run.artifacts()
        .forEach(
            it ->
                links
                    .addObject()
                    .put("label", it.label())
                    .put("link", it.link().toString())
                    .put("pull_request", it.pullRequest()));
    return body;
  }

  /// For programs: independent of the texts for people, which may change.
  private static String state(Run run) {
    return switch (run.state()) {
      case QUEUED -> "Queued";
      case RUNNING -> "Working";
      case BLOCKED -> "Waiting for an answer";
      case SUCCEEDED -> "Done";
      case FAILED -> "Failed";
      case CANCELLED -> "Cancelled";
      case UNKNOWN -> run.stateName().isBlank() ? "Unknown" : run.stateName();
    };
  }
}
