package dev.runnel.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;

/// An Agent Run API without agents: runs are created, listed and read, and change when the
/// benchmark says so. Each answer takes its time, as over a network, and is compressed.
final class SimulatedRuns implements AutoCloseable {
  static final Duration ROUND_TRIP = Duration.ofMillis(80);

  private static final JsonMapper JSON = new JsonMapper();
  private static final Comparator<OneRun> BY_CHANGE =
      Comparator.<OneRun, Instant>comparing(it -> it.updatedAt).thenComparing(it -> it.number);

  /// What was asked for since the last count.
  record Counted(long requests, long bytes) {}

  private static final class OneRun {
    private final int number;
    private final Instant createdAt;
    private final String title;
    private final String metadata;
    private Instant updatedAt;
    private String state = "INPROGRESS";
    private String message = "is at work";

    OneRun(int number, String title, String metadata, Instant now) {
      this.number = number;
      this.title = title;
      this.metadata = metadata;
      createdAt = now;
      updatedAt = now;
    }

    String id() {
      return "00000000-0000-4000-8000-%012d".formatted(number);
    }
  }

  private final HttpServer server;
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  // Guarded by this.
  private final List<OneRun> runs = new ArrayList<>();
  private final TreeSet<OneRun> byChange = new TreeSet<>(BY_CHANGE);
  private Instant last = Instant.EPOCH;

  SimulatedRuns() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/api/v1");
  }

  Counted count() {
    return new Counted(requests.getAndSet(0), bytes.getAndSet(0));
  }

  synchronized int size() {
    return runs.size();
  }

  synchronized String title(int number) {
    return runs.get(number).title;
  }

  synchronized Instant createdAt(int number) {
    return runs.get(number).createdAt;
  }

  /// The run says something new.
  synchronized void progress(int number, String message) {
    change(number, "INPROGRESS", message);
  }

  synchronized void end(int number, String answer) {
    change(number, "SUCCEEDED", answer);
  }

  private void change(int number, String state, String message) {
    var run = runs.get(number);
    byChange.remove(run);
    run.state = state;
    run.message = message;
    run.updatedAt = now();
    byChange.add(run);
  }

  /// No two changes at the same time, so that a page ends between two.
  private Instant now() {
    var now = Instant.now();
    last = now.isAfter(last) ? now : last.plusNanos(1_000);
    return last;
  }

  private void answer(HttpExchange exchange) {
    try (exchange) {
      requests.incrementAndGet();
      Thread.sleep(ROUND_TRIP);
      var path = exchange.getRequestURI().getPath().replaceFirst("^/api/v1/agent/", "");
      var answer = JSON.writeValueAsBytes(answer(exchange, path));
      var packed = packed(answer);
      bytes.addAndGet(packed.length);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.getResponseHeaders().set("Content-Encoding", "gzip");
      exchange.sendResponseHeaders(200, packed.length);
      exchange.getResponseBody().write(packed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static byte[] packed(byte[] bytes) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  private synchronized ObjectNode answer(HttpExchange exchange, String path) throws IOException {
    if (exchange.getRequestMethod().equals("POST") && path.equals("run")) {
      var request = JSON.readTree(exchange.getRequestBody());
      var run =
          new OneRun(
              runs.size(),
              request.path("title").asText("Untitled"),
              request.path("metadata").toString(),
              now());
      runs.add(run);
      byChange.add(run);
      return JSON.createObjectNode()
          .put("run_id", run.id())
          .put("task_id", run.id())
          .put("state", run.state);
    }
    if (path.equals("runs")) {
      return list(query(exchange.getRequestURI().getRawQuery()));
    }
    var id = path.replaceFirst("^runs/", "");
    return item(runs.get(Integer.parseInt(id.substring(id.lastIndexOf('-') + 1))));
  }

  private static Map<String, String> query(String raw) {
    Map<String, String> query = new HashMap<>();
    for (var pair : raw.split("&", -1)) {
      var equals = pair.indexOf('=');
      query.put(
          pair.substring(0, equals),
          URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
    }
    return query;
  }

  private ObjectNode list(Map<String, String> query) throws IOException {
    var since = query.get("updated_after");
    Collection<OneRun> all;
    if (since != null) {
      var from = new OneRun(Integer.MAX_VALUE, "", "", Instant.parse(since));
      all = byChange.tailSet(from, false);
    } else {
      all = query.containsKey("state") ? unfinished() : runs;
    }
    var skip = Integer.parseInt(query.getOrDefault("cursor", "0"));
    var limit = Integer.parseInt(query.getOrDefault("limit", "20"));
    var answer = JSON.createObjectNode();
    var page = answer.putArray("runs");
    for (var run : all.stream().skip(skip).limit(limit).toList()) {
      page.add(item(run));
    }
    var info = answer.putObject("page_info").put("has_next_page", all.size() > skip + limit);
    if (all.size() > skip + limit) {
      info.put("next_cursor", Integer.toString(skip + limit));
    }
    return answer;
  }

  private List<OneRun> unfinished() {
    return runs.stream().filter(run -> run.state.equals("INPROGRESS")).toList();
  }

  private static ObjectNode item(OneRun run) throws IOException {
    var item =
        JSON.createObjectNode()
            .put("run_id", run.id())
            .put("task_id", run.id())
            .put("title", run.title)
            .put("state", run.state)
            .put("prompt", run.title)
            .put("session_link", "https://runs.example/sessions/" + run.id())
            .put("created_at", run.createdAt.toString())
            .put("updated_at", run.updatedAt.toString());
    item.putObject("status_message").put("message", run.message);
    item.putArray("artifacts");
    item.set("metadata", JSON.readTree(run.metadata));
    return item;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
