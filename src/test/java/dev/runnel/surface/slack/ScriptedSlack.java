package dev.runnel.surface.slack;

import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.testkit.MockServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;

/// A Web API over real sockets that says what a test wants, and ok otherwise. For what the emulator
/// does not do: limits, outages, refusals.
public final class ScriptedSlack implements AutoCloseable {
  /// @param fields of the form
  /// @param token by which it came; may be empty
  public record Call(String method, Map<String, String> fields, String token) {
    public String field(String name) {
      return fields.getOrDefault(name, "");
    }
  }

  private static final Map<String, String> FINE =
      Map.of(
          "auth.test",
          "{'ok':true,'url':'https://acme.slack.com/','team_id':'T0ACME','user':'runnel',"
              + "'user_id':'U0RUNNEL','bot_id':'B0RUNNEL'}",
          "chat.postMessage",
          "{'ok':true,'channel':'C0DEV','ts':'1795240916.000200'}",
          "chat.startStream",
          "{'ok':true,'channel':'D0ANN','ts':'1795240916.000400'}",
          "chat.postEphemeral",
          "{'ok':true,'message_ts':'1795240916.000300'}",
          "conversations.replies",
          "{'ok':true,'messages':[]}",
          "conversations.history",
          "{'ok':true,'messages':[]}");

  private final MockWebServer server = MockServers.create();
  private final Map<String, Queue<MockResponse>> script = new ConcurrentHashMap<>();
  private final Map<String, String> people =
      Map.of("U0ANN", "Ann", "U0BOB", "Bob", "U0RUNNEL", "runnel");
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private volatile String refused = "";

  public ScriptedSlack() {
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return answer(request);
          }
        });
    try {
      server.start(InetAddress.getLoopbackAddress(), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private MockResponse answer(RecordedRequest request) {
    var path = request.getUrl().encodedPath();
    var method = path.substring(path.lastIndexOf('/') + 1);
    var body = request.getBody();
    var bearer = request.getHeaders().get("Authorization");
    calls.add(
        new Call(
            method,
            form(body == null ? "" : body.utf8()),
            bearer == null ? "" : bearer.replace("Bearer ", "")));
    if (!refused.isEmpty() && !calls.getLast().token().isEmpty()) {
      return json("{'ok':false,'error':'" + refused + "'}");
    }
    var scripted = script.getOrDefault(method, new ArrayDeque<>()).poll();
    if (scripted != null) {
      return scripted;
    }
    var user = calls.getLast().field("user");
    return json(
        method.equals("users.info")
            ? "{'ok':true,'user':{'id':'%1$s','team_id':'T0ACME','profile':{'display_name':'%2$s'}}}"
                .formatted(user, people.getOrDefault(user, ""))
            : FINE.getOrDefault(method, "{'ok':true}"));
  }

  private static Map<String, String> form(String body) {
    Map<String, String> fields = new HashMap<>();
    if (body.startsWith("{")) {
      return Map.of("json", body);
    }
    Arrays.stream(body.split("&", -1))
        .map(pair -> pair.split("=", 2))
        .filter(pair -> pair.length == 2)
        .forEach(pair -> fields.put(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    return fields;
  }

  /// Queues an answer to the next call of a method.
  public ScriptedSlack says(String method, MockResponse response) {
    script.computeIfAbsent(method, _ -> new ArrayDeque<>()).add(response);
    return this;
  }

  public ScriptedSlack says(String method, String json) {
    return says(method, json(json));
  }

  /// From now on no call by a token is done; empty makes it well again.
  ScriptedSlack refusesTokens(String error) {
    refused = error;
    return this;
  }

  public ScriptedSlack refuses(String method, String error) {
    return says(method, "{'ok':false,'error':'" + error + "'}");
  }

  /// @param text JSON, with single quotes for double ones
  static MockResponse json(String text) {
    return new MockResponse.Builder()
        .addHeader("Content-Type", "application/json; charset=utf-8")
        .body(text.replace('\'', '"'))
        .build();
  }

  public static MockResponse status(int code) {
    return new MockResponse.Builder().code(code).build();
  }

  public static MockResponse rateLimited(String seconds) {
    return new MockResponse.Builder()
        .code(429)
        .addHeader("Retry-After", seconds)
        .body("{\"ok\":false,\"error\":\"ratelimited\"}")
        .build();
  }

  public List<Call> calls(String method) {
    return calls.stream().filter(it -> it.method().equals(method)).toList();
  }

  public List<Call> calls() {
    return List.copyOf(calls);
  }

  public URI apiUrl() {
    return server.url("/api/").uri();
  }

  /// An address to answer a command at.
  String responseUrl() {
    return server.url("/hooks/respond").toString();
  }

  public SlackConfig config() {
    return SlackSurfaces.oneWorkspace(List.of(SlackRequests.SECRET), "xoxb-test-token", apiUrl());
  }

  @Override
  public void close() {
    server.close();
  }
}
