package dev.runnel.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.PageInfo;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/// Writes requests, reads answers.
final class JsonRunsClient implements RunsClient {
  private static final ByteString NOTHING = ByteString.EMPTY;
  private static final Set<String> SPECIAL_SEGMENTS = Set.of(".", "..");

  private final HttpUrl baseUrl;
  private final String creationPath;
  private final Headers headers;
  private final Duration deadline;
  private final int maxRetries;
  private final Transport transport;

  /// @param headers sent with every request
  JsonRunsClient(
      HttpUrl baseUrl,
      String creationPath,
      Headers headers,
      Duration deadline,
      int maxRetries,
      Transport transport) {
    this.baseUrl = baseUrl;
    this.creationPath = creationPath;
    this.headers = headers;
    this.deadline = deadline;
    this.maxRetries = maxRetries;
    this.transport = transport;
  }

  @Override
  public CreatedRun create(CreateRun run, RequestOptions options) {
    var call =
        post("create a run", url(creationPath), Json.write(run), HttpCall.Effect.ADDS, options);
    return send(
        call,
        options,
        CreatedRun.class,
        created -> isNamed(created.runId()) && created.state() != null);
  }

  @Override
  public RunItem get(String runId, RequestOptions options) {
    var call = read("read run " + runId, url("runs", runId), options);
    return send(call, options, RunItem.class, JsonRunsClient::isWhole);
  }

  @Override
  public RunPage list(ListRuns query, RequestOptions options) {
    var url = url("runs").newBuilder();
    for (var parameter : query.parameters()) {
      url.addQueryParameter(parameter.name(), parameter.value());
    }
    var page =
        send(
            read("list runs", url.build(), options),
            options,
            RunPage.class,
            it -> it.runs() != null && it.runs().stream().allMatch(JsonRunsClient::isWhole));
    return page.pageInfo() == null ? new RunPage(page.runs(), new PageInfo(false, null)) : page;
  }

  @Override
  public FollowUpAccepted followUp(String runId, FollowUpMessage message, RequestOptions options) {
    var call =
        post(
            "send a follow-up to run " + runId,
            url("runs", runId, "followups"),
            Json.write(message),
            HttpCall.Effect.ADDS,
            options);
    return send(call, options, FollowUpAccepted.class, _ -> true);
  }

  @Override
  public String cancel(String runId, RequestOptions options) {
    var call =
        post(
            "cancel run " + runId,
            url("runs", runId, "cancel"),
            NOTHING,
            HttpCall.Effect.SETS,
            options);
    var id = send(call, options, JsonNode.class, it -> it.getNodeType() == JsonNodeType.STRING);
    return id.textValue();
  }

  @Override
  public void close() {
    transport.close();
  }

  private HttpUrl url(String... segments) {
    var url = baseUrl.newBuilder().addPathSegment("agent");
    for (var segment : segments) {
      if (segment.isBlank() || SPECIAL_SEGMENTS.contains(segment)) {
        throw new IllegalArgumentException("A run id must not be empty, blank or made of dots");
      }
      url.addPathSegment(segment);
    }
    return url.build();
  }

  private HttpCall read(String action, HttpUrl url, RequestOptions options) {
    return call(action, "GET", url, NOTHING, HttpCall.Effect.READS, options);
  }

  private HttpCall post(
      String action, HttpUrl url, ByteString body, HttpCall.Effect effect, RequestOptions options) {
    return call(action, "POST", url, body, effect, options);
  }

  private HttpCall call(
      String action,
      String method,
      HttpUrl url,
      ByteString body,
      HttpCall.Effect effect,
      RequestOptions options) {
    var all = headers.newBuilder();
    options.headers().forEach(all::set);
    return new HttpCall(
        action, method, url, all.build(), body, effect, options.maxRetries().orElse(maxRetries));
  }

  private <T> T send(
      HttpCall call, RequestOptions options, Class<T> type, Predicate<T> keepsItsPromise) {
    var answer = transport.send(call, options.deadline().orElse(deadline));
    if (!answer.isSuccess()) {
      throw RunsException.of(call, answer);
    }
    @Nullable T value;
    try {
      value = Json.read(answer.body(), type);
    } catch (IOException unreadable) {
      // The parser's message quotes the answer, so it is not kept as the cause.
      throw unreadable(call, answer);
    }
    if (value == null || !keepsItsPromise.test(value)) {
      throw unreadable(call, answer);
    }
    return value;
  }

  private static RunsException.UnreadableAnswer unreadable(HttpCall call, Answer answer) {
    var type = answer.headers().get("Content-Type");
    return new RunsException.UnreadableAnswer(
        "Could not %s: the answer is not what the run service promises (%d, %s, %d bytes)"
            .formatted(
                call.action(),
                answer.status(),
                type == null ? "no content type" : type,
                answer.body().size()),
        answer.status(),
        call.changesSomething(),
        null);
  }

  private static boolean isWhole(@Nullable RunItem run) {
    return run != null && isNamed(run.runId()) && run.state() != null;
  }

  private static boolean isNamed(@Nullable String runId) {
    return runId != null && !runId.isBlank();
  }
}
