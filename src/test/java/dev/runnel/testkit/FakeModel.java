package dev.runnel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;

/// A language model that agents can be pointed at: it speaks Anthropic messages, OpenAI responses,
/// OpenAI chat completions and Gemini, on loopback.
///
/// Asked by an agent that has a shell, it wants one command run, then says `Done. I saw N
/// messages`; N grows when a session is continued. The last line `sh: COMMAND` of the prompt says
/// which command; without one it is [#USUAL_COMMAND].
public final class FakeModel implements AutoCloseable {
  /// Leaves a trace in the folder in which the agent works.
  public static final String USUAL_COMMAND = "echo touched >> touched.txt";

  static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern SCRIPT = Pattern.compile("(?m)^sh: (.+)$");

  /// A request as it came.
  ///
  /// @param key the header that authorises it
  public record Asked(String path, Optional<String> key, JsonNode body) {
    /// Every text that anybody said in it, decoded, the system's own words included.
    public List<String> texts() {
      return body.findValues("text").stream()
          .filter(JsonNode::isTextual)
          .map(JsonNode::asText)
          .toList();
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private volatile int failure;

  private FakeModel(HttpServer server) {
    this.server = server;
    server.setExecutor(threads);
    server.createContext("/", this::serve);
  }

  /// On a free port.
  public static FakeModel start() {
    return start(0);
  }

  static FakeModel start(int port) {
    try {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      var model = new FakeModel(HttpServer.create(address, 0));
      model.server.start();
      return model;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Without a path: `http://127.0.0.1:PORT`.
  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /// From now on every request is answered with this status.
  public void failWith(int status) {
    failure = status;
  }

  /// What was asked so far by agents that have a shell, in order; they ask for titles and such too.
  public List<Asked> asked() {
    return asked.stream()
        .filter(
            each -> ModelProtocol.at(each.path()).flatMap(p -> p.shell(each.body())).isPresent())
        .toList();
  }

  /// Everything that was asked so far.
  public List<Asked> all() {
    return List.copyOf(asked);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (exchange.getRequestHeaders().containsKey("Upgrade")) {
        // Codex goes on without a web socket at once.
        send(exchange, 426, "text/plain", "Plain HTTP requests only");
        return;
      }
      var path = exchange.getRequestURI().getPath();
      var bytes = exchange.getRequestBody().readAllBytes();
      var protocol = ModelProtocol.at(path);
      if (protocol.isEmpty()) {
        send(exchange, 404, "application/json", "{\"error\":{\"message\":\"No such address\"}}");
        return;
      }
      var body = JSON.readTree(bytes);
      asked.add(new Asked(path, key(exchange), body));
      if (failure != 0) {
        send(exchange, failure, "application/json", protocol.get().problem(failure));
        return;
      }
      var answer = answer(protocol.get(), body);
      send(exchange, 200, answer.contentType(), answer.body());
    }
  }

  private static ModelProtocol.Answer answer(ModelProtocol protocol, JsonNode body) {
    var shell = protocol.shell(body);
    if (shell.isEmpty() || protocol.lastIsResult(body)) {
      return protocol.say(
          body, "Done. I saw %d messages".formatted(protocol.messages(body).size()));
    }
    // A session that was broken off may come with what was said before it as one message.
    var command =
        SCRIPT
            .matcher(protocol.lastText(body))
            .results()
            .map(found -> found.group(1))
            .reduce((_, later) -> later)
            .orElse(USUAL_COMMAND);
    return protocol.call(body, shell.get(), command);
  }

  private static Optional<String> key(HttpExchange exchange) {
    var headers = exchange.getRequestHeaders();
    return List.of("x-api-key", "x-goog-api-key", "authorization").stream()
        .map(headers::getFirst)
        .filter(Objects::nonNull)
        .findFirst();
  }

  private static void send(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /// For trying things out by hand: `PORT`.
  public static void main(String... arguments) {
    System.out.println(start(arguments.length == 0 ? 0 : Integer.parseInt(arguments[0])).uri());
  }
}
