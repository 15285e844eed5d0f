package dev.runnel.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.runnel.testkit.LocalSlack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/// Says yes to every call of Slack's Web API and remembers only the last threads, so that it stays
/// as small after an hour as after a minute. It is no Slack: nothing that was posted can be read.
final class SimulatedSlack implements AutoCloseable {
  private static final int THREADS = 500;
  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern ANSWER = Pattern.compile("answer of \\d+\\.");

  /// Where a reply can go.
  record OneThread(String channel, String ts) {}

  private final HttpServer server;
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();
  private final List<OneThread> threads = new ArrayList<>();
  private final Map<String, Long> answers = new ConcurrentHashMap<>();

  SimulatedSlack() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  /// The settings of a Runnel that uses it; with `RUNNEL_DATABASE_URL`, on PostgreSQL.
  Map<String, String> settings() {
    var settings =
        new HashMap<>(
            Map.of(
                "SLACK_SIGNING_SECRET",
                LocalSlack.SIGNING_SECRET,
                "SLACK_BOT_TOKEN",
                LocalSlack.BOT_TOKEN,
                "SLACK_API_URL",
                uri("/api/").toString(),
                "MALLOC_ARENA_MAX",
                "1"));
    Optional.ofNullable(System.getenv("RUNNEL_DATABASE_URL"))
        .ifPresent(url -> settings.put("RUNNEL_DATABASE_URL", url));
    return settings;
  }

  long calls() {
    return calls.get();
  }

  /// How many answers of runs were posted again.
  long repeatedAnswers() {
    return repeated.get();
  }

  /// A new timestamp, as each message has its own.
  String timestamp() {
    return "%d.%06d"
        .formatted(System.currentTimeMillis() / 1_000, count.incrementAndGet() % 1_000_000);
  }

  /// One of the last threads.
  synchronized Optional<OneThread> anyThread(RandomGenerator chance) {
    return threads.isEmpty()
        ? Optional.empty()
        : Optional.of(threads.get(chance.nextInt(threads.size())));
  }

  synchronized void remember(OneThread thread) {
    if (threads.size() == THREADS) {
      threads.removeFirst();
    }
    threads.add(thread);
  }

  /// When an answer of a run was posted first, in nanoseconds of this process's clock.
  ///
  /// @param words all of them: `answer of 7.`
  Optional<Long> saidAt(String words) {
    return Optional.ofNullable(answers.get(words));
  }

  private void answer(HttpExchange exchange) {
    try (exchange) {
      calls.incrementAndGet();
      var form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      var method = exchange.getRequestURI().getPath().replaceFirst("^/api/", "");
      var answer = JSON.writeValueAsBytes(answer(method, form));
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ObjectNode answer(String method, String form) {
    var answer = JSON.createObjectNode().put("ok", true);
    switch (method) {
      case "auth.test" ->
          answer
              .put("team_id", LocalSlack.TEAM)
              .put("user_id", LocalSlack.BOT)
              .put("bot_id", "B0RUNNEL")
              .put("user", "runnel")
              .put("url", uri("/").toString());
      case "chat.postMessage" -> {
        var told = ANSWER.matcher(URLDecoder.decode(form, StandardCharsets.UTF_8));
        if (told.find() && answers.putIfAbsent(told.group(), System.nanoTime()) != null) {
          repeated.incrementAndGet();
        }
        var ts = timestamp();
        answer.put("ts", ts).put("channel", field(form, "channel"));
        if (field(form, "thread_ts").isEmpty()) {
          remember(new OneThread(field(form, "channel"), ts));
        }
      }
      case "chat.postEphemeral" -> answer.put("message_ts", timestamp());
      case "conversations.replies", "conversations.history" ->
          answer.put("has_more", false).putArray("messages");
      case "users.info" ->
          answer
              .putObject("user")
              .put("id", LocalSlack.ANN)
              .put("team_id", LocalSlack.TEAM)
              .put("real_name", "Ann");
      default -> {}
    }
    return answer;
  }

  private static String field(String form, String name) {
    for (var pair : form.split("&", -1)) {
      if (pair.startsWith(name + "=")) {
        return URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8);
      }
    }
    return "";
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
