package dev.runnel.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/// Stands between an emulated Slack and an app that opens a socket to it, and says over the socket
/// what the emulator never says. All else it passes on, both ways.
public final class SlackSocketInFrontOf implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String LINK = "/link";
  private static final Pattern TRIGGER = Pattern.compile("\"trigger_id\":\"([\\w.]+)\"");

  private final MockWebServer server = MockServers.create();
  private final OkHttpClient client = new OkHttpClient();
  private final ForwardingProxy forwardingProxy;
  private volatile String emulatedLink = "";
  private volatile @Nullable WebSocket app;
  private final Map<String, CompletableFuture<String>> unacknowledged = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final List<String> triggers = new CopyOnWriteArrayList<>();

  /// @param slack the emulator, or what stands in front of it, without a path
  public SlackSocketInFrontOf(URI slack) throws IOException {
    forwardingProxy = new ForwardingProxy(slack);
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            try {
              return answer(request);
            } catch (IOException unreachable) {
              return new MockResponse.Builder()
                  .onResponseStart(new SocketEffect.CloseSocket())
                  .build();
            }
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
  }

  /// Where Slack's API is for the app.
  public URI apiUrl() {
    return server.url("/api/").uri();
  }

  /// Says what Slack would send as a request, and waits until it is acknowledged.
  ///
  /// @param body of the request
  public void says(String body) throws Exception {
    var id = "said-" + count.incrementAndGet();
    var acknowledged = new CompletableFuture<String>();
    unacknowledged.put(id, acknowledged);
    Objects.requireNonNull(app, "No socket is open").send(SlackEnvelope.of(id, body));
    acknowledged.get(20, TimeUnit.SECONDS);
  }

  /// The triggers of what the emulator said, in its order.
  public List<String> triggers() {
    return triggers;
  }

  private MockResponse answer(RecordedRequest request) throws IOException {
    var path = request.getUrl().encodedPath();
    if (path.equals(LINK)) {
      return new MockResponse.Builder().webSocketUpgrade(new AppSide()).build();
    }
    var answer = forwardingProxy.pass(request);
    return path.endsWith("/apps.connections.open") ? throughUs(answer) : answer;
  }

  private MockResponse throughUs(MockResponse opened) throws IOException {
    var body = new Buffer();
    Objects.requireNonNull(opened.getBody()).writeTo(body);
    var json = (ObjectNode) JSON.readTree(body.readUtf8());
    emulatedLink = json.path("url").asText();
    return new MockResponse.Builder()
        .setHeader("Content-Type", "application/json")
        .body(json.put("url", server.url(LINK).toString().replace("http:", "ws:")).toString())
        .build();
  }

  /// What the app says.
  private final class AppSide extends WebSocketListener {
    private volatile @Nullable WebSocket emulator;

    @Override
    public void onOpen(WebSocket webSocket, Response response) {
      app = webSocket;
      emulator =
          client.newWebSocket(
              new Request.Builder().url(emulatedLink).build(), new SlackSide(webSocket));
    }

    @Override
    public void onMessage(WebSocket webSocket, String text) {
      var ours = unacknowledged.remove(envelope(text));
      if (ours != null) {
        ours.complete(text);
      } else {
        Objects.requireNonNull(emulator).send(text);
      }
    }

    @Override
    public void onClosing(WebSocket webSocket, int code, String reason) {
      Objects.requireNonNull(emulator).close(1000, null);
      webSocket.close(1000, null);
    }

    @Override
    public void onFailure(WebSocket webSocket, Throwable t, @Nullable Response response) {
      Objects.requireNonNull(emulator).cancel();
    }
  }

  private static String envelope(String ack) {
    try {
      return JSON.readTree(ack).path("envelope_id").asText();
    } catch (JsonProcessingException odd) {
      throw new IllegalArgumentException(ack, odd);
    }
  }

  /// What the emulator says.
  private final class SlackSide extends WebSocketListener {
    private final WebSocket to;

    SlackSide(WebSocket to) {
      this.to = to;
    }

    @Override
    public void onMessage(WebSocket webSocket, String text) {
      TRIGGER.matcher(text).results().map(it -> it.group(1)).forEach(triggers::add);
      to.send(text);
    }

    @Override
    public void onClosing(WebSocket webSocket, int code, String reason) {
      to.close(1000, null);
      webSocket.close(1000, null);
    }

    @Override
    public void onFailure(WebSocket webSocket, Throwable t, @Nullable Response response) {
      to.close(1001, null);
    }
  }

  @Override
  public void close() {
    server.close();
    forwardingProxy.close();
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }
}
