package dev.runnel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A real Chromium with one page, driven by its own protocol. Without a Chromium on this machine
/// [#isInstalled()] says so.
public final class Browser implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("DevTools listening on (ws://\\S+)");
  private static final int SECONDS = 60;

  private final Process process;
  private final Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private final WebSocket socket;
  private final String session;
  private final ObjectMapper json = new ObjectMapper();
  private final AtomicInteger number = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();

  private Browser(Process process, Path folder, URI address) throws Exception {
    this.process = process;
    this.folder = folder;
    this.socket = client.newWebSocketBuilder().buildAsync(address, new Listener()).get();
    var target = send("", "Target.createTarget", Map.of("url", "about:blank"));
    this.session =
        send(
                "",
                "Target.attachToTarget",
                Map.of("targetId", target.path("targetId").asText(), "flatten", true))
            .path("sessionId")
            .asText();
    call("Page.enable", Map.of());
  }

  public static boolean isInstalled() {
    return program().isPresent();
  }

  private static Optional<Path> program() {
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(
            name ->
                Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                    .map(it -> Path.of(it, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  public static Browser open() throws Exception {
    var folder = Files.createTempDirectory("browser");
    var process =
        new ProcessBuilder(
                program().orElseThrow().toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--host-resolver-rules=MAP * 127.0.0.1",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder)
            .redirectErrorStream(true)
            .start();
    var output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (var line = output.readLine(); line != null; line = output.readLine()) {
      var found = ADDRESS.matcher(line);
      if (found.find()) {
        Thread.ofVirtual().start(() -> drain(output));
        return new Browser(process, folder, URI.create(found.group(1)));
      }
    }
    throw new IOException("Chromium did not start");
  }

  private static void drain(BufferedReader output) {
    try {
      while (output.readLine() != null) {
        // What it says does not matter.
      }
    } catch (IOException closed) {
      // The browser ended.
    }
  }

  /// Loads the page, and waits until its scripts ran.
  public void go(URI address) throws Exception {
    // The answer may come before the page that is left is gone.
    eval("window.isLeft = true");
    var isAnotherPage = call("Page.navigate", Map.of("url", address.toString())).has("loaderId");
    for (int i = 0; i < SECONDS * 20; i++) {
      var state =
          eval("(window.isLeft ?? false) + ' ' + location.href + ' ' + document.readyState");
      if (state.endsWith(" complete") && !(isAnotherPage && state.startsWith("true "))) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    throw new IOException("The page was not loaded: " + address);
  }

  /// The text of an expression's value; promises are awaited.
  public String eval(String expression) throws Exception {
    var answer =
        call(
            "Runtime.evaluate",
            Map.of(
                "expression", expression,
                "returnByValue", true,
                "awaitPromise", true,
                "userGesture", true));
    if (answer.has("exceptionDetails")) {
      throw new IllegalStateException(answer.path("exceptionDetails").toString());
    }
    var value = answer.path("result").path("value");
    return value.isValueNode() ? value.asText() : value.toString();
  }

  /// @param theme `light` or `dark`
  public void shows(int width, int height, String theme) throws Exception {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    call(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
  }

  /// Runs the script in each page that is loaded from now on, before the page's own.
  public void before(String script) throws Exception {
    call("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script));
  }

  /// Types the text into what has the focus.
  public void type(String text) throws Exception {
    call("Input.insertText", Map.of("text", text));
  }

  /// Presses a key: `Tab`, `Enter`, `/`.
  public void press(String key) throws Exception {
    var code = Map.of("Tab", 9, "Enter", 13, "Escape", 27, " ", 32).getOrDefault(key, 0);
    var text = key.equals("Enter") ? "\r" : key.length() == 1 ? key : "";
    call(
        "Input.dispatchKeyEvent",
        Map.of(
            "type", text.isEmpty() ? "rawKeyDown" : "keyDown",
            "key", key,
            "code", key.equals("/") ? "Slash" : key,
            "windowsVirtualKeyCode", code,
            "text", text));
    call(
        "Input.dispatchKeyEvent",
        Map.of("type", "keyUp", "key", key, "windowsVirtualKeyCode", code));
  }

  /// A picture of what is on the screen, as PNG.
  public byte[] picture() throws Exception {
    var data = call("Page.captureScreenshot", Map.of("format", "png")).path("data").asText();
    return Base64.getDecoder().decode(data);
  }

  /// A picture of the whole page, as PNG.
  public byte[] wholePicture() throws Exception {
    var data =
        call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true))
            .path("data")
            .asText();
    return Base64.getDecoder().decode(data);
  }

  private JsonNode call(String method, Map<String, Object> parameters) throws Exception {
    return send(session, method, parameters);
  }

  private JsonNode send(String session, String method, Map<String, Object> parameters)
      throws Exception {
    int id = number.incrementAndGet();
    ObjectNode message = json.createObjectNode().put("id", id).put("method", method);
    message.set("params", json.valueToTree(parameters));
    if (!session.isEmpty()) {
      message.put("sessionId", session);
    }
    var answer = new CompletableFuture<JsonNode>();
    answers.put(id, answer);
    socket.sendText(message.toString(), true).get(SECONDS, TimeUnit.SECONDS);
    return answer.get(SECONDS, TimeUnit.SECONDS);
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        answered(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return CompletableFuture.completedFuture(true);
    }

    private void answered(String message) {
      try {
        var tree = json.readTree(message);
        var waiting = answers.remove(tree.path("id").asInt());
        if (waiting != null && tree.has("error")) {
          waiting.completeExceptionally(new IOException(tree.path("error").toString()));
        } else if (waiting != null) {
          waiting.complete(tree.path("result"));
        }
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.abort();
    client.shutdownNow();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
