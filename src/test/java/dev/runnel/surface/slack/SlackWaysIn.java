package dev.runnel.surface.slack;

import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.startsWith;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPrompts;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.testkit.MockServers;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.SlackEnvelope;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebhookEndpoint;
import io.javalin.Javalin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.mockito.ArgumentCaptor;

/// Both ways from Slack to us, with the real front door and the real socket; where Slack is there
/// is a double that speaks its protocol.
final class SlackWaysIn implements AutoCloseable {
  private static final String APP_TOKEN = "xapp-test-token";
  private static final int PATIENCE = 20_000;

  final ScriptedSlack api = new ScriptedSlack();
  final SettableClock clock = new SettableClock();
  final SlackSurface surface;
  private final MockWebServer link = MockServers.create();
  private final WebSocketListener slackSide = mock();
  private final HttpClient http = HttpClient.newHttpClient();
  private final WebhookEndpoint door;
  private final Javalin server;
  private final WebSocket socket;
  private volatile Predicate<Delivery> keeper = _ -> true;
  private int envelopes;

  SlackWaysIn() throws Exception {
    doAnswer(closing -> closing.getArgument(0, WebSocket.class).close(1000, null))
        .when(slackSide)
        .onClosing(any(), anyInt(), any());
    link.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return new MockResponse.Builder().webSocketUpgrade(slackSide).build();
          }
        });
    link.start(InetAddress.getLoopbackAddress(), 0);
    api.says("apps.connections.open", "{'ok':true,'url':'" + link.url("/link") + "'}");
    surface =
        SlackSurfaces.of(
            new SlackConfig(
                List.of(SlackRequests.SECRET),
                Optional.of(APP_TOKEN),
                Optional.of("xoxb-test-token"),
                Optional.empty(),
                api.apiUrl(),
                SlackBehavior.DEFAULT,
                SlackPrompts.DEFAULT,
                Set.of()),
            clock);
    door =
        new WebhookEndpoint(
            new Kept(),
            Surfaces.of(List.of(surface)),
            clock,
            new RequestMetrics(),
            TraceRecorder.NONE);
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  door.routes(config.routes, KnownPlatforms.paths(), _ -> true);
                })
            .start("127.0.0.1", 0);
    surface.start();
    surface.connect(webhookResult -> door.take(surface.id(), webhookResult), new Random(1));
    var opened = ArgumentCaptor.forClass(WebSocket.class);
    verify(slackSide, timeout(PATIENCE)).onOpen(opened.capture(), any());
    socket = opened.getValue();
    socket.send("{\"type\":\"hello\"}");
    await().until(() -> api.calls("auth.test").size() == 1);
  }

  /// Who keeps what is accepted from now on, and says whether it is new.
  void keeps(Predicate<Delivery> keeper) {
    this.keeper = keeper;
  }

  /// Slack sends the body as a request of now, signed.
  ///
  /// @return the status of the answer
  int overHttp(String body) throws IOException, InterruptedException {
    var request = signed(body);
    var sent =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.port() + SlackConfig.EVENTS_PATH))
            .timeout(Duration.ofSeconds(30))
            .POST(BodyPublishers.ofByteArray(request.body()));
    request.headers().forEach(sent::header);
    return http.send(sent.build(), BodyHandlers.discarding()).statusCode();
  }

  /// The same from the front door on, for thousands of requests.
  int atTheDoor(String body) {
    return door.take(surface.id(), surface.receive(signed(body))).status();
  }

  private RawRequest signed(String body) {
    return SlackRequests.signed(
        body.getBytes(StandardCharsets.UTF_8),
        SlackRequests.SECRET,
        clock.instant(),
        clock.instant());
  }

  /// Slack sends what the request has in an envelope; returns when that is acknowledged.
  void overTheSocket(RawRequest request) throws IOException, InterruptedException {
    var id = "e" + ++envelopes;
    socket.send(SlackEnvelope.of(id, SlackRequests.body(request)));
    verify(slackSide, timeout(PATIENCE))
        .onMessage(any(), startsWith("{\"envelope_id\":\"" + id + "\""));
    // Thousands would be looked through each time.
    clearInvocations(slackSide);
  }

  @Override
  public void close() {
    server.stop();
    surface.close();
    link.close();
    api.close();
    http.close();
  }

  /// What a test says is kept.
  private final class Kept implements Store {
    private final Store store = new MemoryStore();

    @Override
    public boolean accept(Delivery delivery) {
      return keeper.test(delivery);
    }

    @Override
    public boolean mayHaveRun(Conversation conversation) {
      return true;
    }

    @Override
    public <T> T commit(Function<Work, T> step) {
      return store.commit(step);
    }

    @Override
    public <T> T read(Function<Bindings, T> question) {
      return store.read(question);
    }
  }
}
