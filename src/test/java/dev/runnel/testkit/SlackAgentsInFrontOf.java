package dev.runnel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import org.jspecify.annotations.Nullable;

/// Stands in front of an emulated Slack and does what the emulator does not, as Slack's
/// documentation has it: agent sessions, the status line, prompts, and messages that grow. Such a
/// message stands in the emulator as any other, and cannot be edited before it is closed. All else
/// it passes on.
public final class SlackAgentsInFrontOf implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final List<String> STATUSES =
      List.of("active", "processing", "suspended", "closed");

  /// A call of the app, in its fields.
  public record Call(String method, Map<String, String> fields) {}

  /// @param cards by their ids: status and words
  private record Stream(Map<String, String> cards, boolean open) {}

  private final MockWebServer server = MockServers.create();
  private final HttpClient http = HttpClient.newHttpClient();
  private final ForwardingProxy forwardingProxy;
  private final URI slack;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final Map<String, String> sessions = new ConcurrentHashMap<>();
  private final Map<String, Stream> streams = new ConcurrentHashMap<>();
  private volatile @Nullable Runnable beforeNextStart;

  /// @param slack the emulator, without a path
  public SlackAgentsInFrontOf(URI slack) throws IOException {
    this.slack = slack;
    forwardingProxy = new ForwardingProxy(slack);
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            try {
              return answer(request);
            } catch (IOException unreachable) {
              return lost();
            }
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
  }

  private static MockResponse lost() {
    return new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build();
  }

  /// Where Slack's API is for the app.
  public URI apiUrl() {
    return server.url("/api/").uri();
  }

  /// What the app called of what the emulator does not know, in order.
  public List<Call> calls(String method) {
    return calls.stream().filter(call -> call.method().equals(method)).toList();
  }

  /// How the session of a thread fares, in Slack's words; empty where there is none.
  public Optional<String> session(String thread) {
    return Optional.ofNullable(sessions.get(thread));
  }

  /// The cards of all messages that grew, as `complete Setting up`.
  public List<String> cards() {
    return streams.values().stream().flatMap(it -> it.cards().values().stream()).toList();
  }

  public long streams() {
    return streams.size();
  }

  public long openStreams() {
    return streams.values().stream().filter(Stream::open).count();
  }

  /// Slack closes all that grow, as it does after five minutes.
  public void closesStreams() {
    streams.replaceAll((_, stream) -> new Stream(stream.cards(), false));
  }

  /// The next message that grows is made, then this is done, and its answer is lost.
  public void losesTheNextStart(Runnable meanwhile) {
    beforeNextStart = meanwhile;
  }

  private MockResponse answer(RecordedRequest request) throws IOException {
    var path = request.getUrl().encodedPath();
    var method = path.substring(path.lastIndexOf('/') + 1);
    var form = form(request);
    return switch (method) {
      case "agents.sessions.setStatus" -> called(method, form, session(form));
      case "assistant.threads.setStatus",
          "assistant.threads.setTitle",
          "assistant.threads.setSuggestedPrompts" ->
          called(method, form, "{\"ok\":true}");
      case "chat.startStream" -> start(method, form);
      case "chat.appendStream" -> called(method, form, append(form));
      case "chat.stopStream" -> called(method, form, stop(form));
      case "chat.update" ->
          isOpen(form) ? json(error("streaming_state_conflict")) : forwardingProxy.pass(request);
      case "conversations.replies" -> withStreams(forwardingProxy.pass(request));
      default -> forwardingProxy.pass(request);
    };
  }

  private MockResponse called(String method, Map<String, String> form, String answer) {
    calls.add(new Call(method, form));
    return json(answer);
  }

  private String session(Map<String, String> form) {
    if (!STATUSES.contains(form.getOrDefault("status", ""))
        || !form.containsKey("channel_id")
        || !form.containsKey("thread_ts")) {
      return error("invalid_arguments");
    }
    sessions.put(form.get("thread_ts"), form.get("status"));
    return "{\"ok\":true,\"status\":\"" + form.get("status") + "\"}";
  }

  private MockResponse start(String method, Map<String, String> form) throws IOException {
    calls.add(new Call(method, form));
    for (var name : List.of("recipient_user_id", "recipient_team_id")) {
      if (!form.containsKey(name)) {
        return json(error("missing_" + name));
      }
    }
    var cards = new LinkedHashMap<String, String>();
    if (!draw(cards, form)) {
      return json(error("invalid_chunks"));
    }
    var posted = post(form);
    var ts = posted.path("ts").asText();
    streams.put(form.get("channel") + "/" + ts, new Stream(cards, true));
    var meanwhile = beforeNextStart;
    if (meanwhile != null) {
      beforeNextStart = null;
      meanwhile.run();
      return lost();
    }
    return json(
        "{\"ok\":true,\"channel\":\"%s\",\"ts\":\"%s\"}".formatted(form.get("channel"), ts));
  }

  private JsonNode post(Map<String, String> form) throws IOException {
    var body =
        JSON.createObjectNode()
            .put("channel", form.get("channel"))
            .put("thread_ts", form.get("thread_ts"))
            .put("text", "(a message that grows)");
    try {
      return JSON.readTree(
          http.send(
                  HttpRequest.newBuilder(slack.resolve("/api/chat.postMessage"))
                      .header("Content-Type", "application/json")
                      .header("Authorization", "Bearer " + LocalSlack.BOT_TOKEN)
                      .POST(BodyPublishers.ofString(body.toString()))
                      .build(),
                  BodyHandlers.ofString())
              .body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private String append(Map<String, String> form) throws IOException {
    var stream = streams.get(key(form));
    if (stream == null || !stream.open()) {
      return error("message_not_in_streaming_state");
    }
    var cards = new LinkedHashMap<>(stream.cards());
    if (!draw(cards, form)) {
      return error("invalid_chunks");
    }
    streams.put(key(form), new Stream(cards, true));
    return "{\"ok\":true}";
  }

  private String stop(Map<String, String> form) {
    var stream = streams.get(key(form));
    if (stream == null || !stream.open()) {
      return error("message_not_in_streaming_state");
    }
    streams.put(key(form), new Stream(stream.cards(), false));
    return "{\"ok\":true}";
  }

  private boolean isOpen(Map<String, String> form) {
    var stream = streams.get(key(form));
    return stream != null && stream.open();
  }

  private static String key(Map<String, String> form) {
    return form.get("channel") + "/" + form.get("ts");
  }

  /// A card that comes again is another state of the same.
  private static boolean draw(Map<String, String> cards, Map<String, String> form)
      throws IOException {
    var chunks = JSON.readTree(form.getOrDefault("chunks", "[]"));
    for (var chunk : chunks) {
      switch (chunk.path("type").asText()) {
        case "plan_update" -> {
          if (chunk.path("title").asText().isEmpty()) {
            return false;
          }
        }
        case "task_update" -> {
          if (chunk.path("id").asText().isEmpty()
              || chunk.path("title").asText().isEmpty()
              || chunk.path("title").asText().length() > 256) {
            return false;
          }
          cards.put(
              chunk.path("id").asText(),
              chunk.path("status").asText() + " " + chunk.path("title").asText());
        }
        default -> {
          return false;
        }
      }
    }
    return true;
  }

  private MockResponse withStreams(MockResponse answer) throws IOException {
    var body = new okio.Buffer();
    Optional.ofNullable(answer.getBody()).orElseThrow().writeTo(body);
    var tree = JSON.readTree(body.readUtf8());
    for (var message : tree.path("messages")) {
      streams.forEach(
          (key, stream) -> {
            if (stream.open() && key.endsWith("/" + message.path("ts").asText())) {
              ((ObjectNode) message).put("streaming_state", "in_progress");
              ArrayNode blocks = ((ObjectNode) message).putArray("blocks");
              var tasks = blocks.addObject().put("type", "plan").putArray("tasks");
              stream.cards().keySet().forEach(id -> tasks.addObject().put("task_id", id));
            }
          });
    }
    return json(tree.toString());
  }

  private static Map<String, String> form(RecordedRequest request) {
    var body = request.getBody();
    return Pattern.compile("&")
        .splitAsStream(body == null ? "" : body.utf8())
        .map(pair -> pair.split("=", 2))
        .filter(pair -> pair.length == 2)
        .collect(
            Collectors.toMap(
                pair -> pair[0],
                pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8),
                // The SDK sends some fields twice.
                (first, _) -> first));
  }

  private static String error(String code) {
    return "{\"ok\":false,\"error\":\"" + code + "\"}";
  }

  private static MockResponse json(String body) {
    return new MockResponse.Builder()
        .setHeader("Content-Type", "application/json; charset=utf-8")
        .body(body)
        .build();
  }

  @Override
  public void close() {
    server.close();
    http.close();
    forwardingProxy.close();
  }
}
