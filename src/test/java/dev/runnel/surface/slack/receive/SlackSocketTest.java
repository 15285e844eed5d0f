package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.testkit.MockServers;
import dev.runnel.testkit.SettableClock;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/// The socket against a Slack that says what Slack's protocol says, over real sockets.
@Isolated("It waits for sockets with short timeouts.")
class SlackSocketTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final SlackSocket.Timeouts TIMEOUTS =
      new SlackSocket.Timeouts(
          LONG,
          LONG,
          Duration.ofMillis(10),
          Duration.ofMillis(50),
          LONG,
          LONG,
          Duration.ofSeconds(5));
  private static final String HELLO = "{'type':'hello','num_connections':1}";
  private static final Reply TAKEN = Reply.empty(200);

  private final MockWebServer server = MockServers.create();
  private final BlockingQueue<SlackSide> opened = new LinkedBlockingQueue<>();
  private final Queue<MockResponse> refusals = new ArrayDeque<>();
  private final Queue<SlackResponse<String>> addresses = new ArrayDeque<>();
  private final List<RawRequest> requests = new CopyOnWriteArrayList<>();
  private final SettableClock clock = new SettableClock();
  private volatile Function<RawRequest, Reply> door = _ -> TAKEN;
  private @Nullable SlackSocket socket;

  /// Slack's end of one socket.
  private static final class SlackSide extends WebSocketListener {
    private final BlockingQueue<String> acks = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch hang = new CountDownLatch(1);
    private volatile boolean hangs;
    private volatile boolean breaks;
    private final BlockingQueue<WebSocket> here = new LinkedBlockingQueue<>();
    private @Nullable WebSocket socket;

    @Override
    public void onOpen(WebSocket webSocket, Response response) {
      here.add(webSocket);
    }

    @Override
    public void onMessage(WebSocket webSocket, String text) {
      acks.add(text);
      if (breaks) {
        throw new IllegalStateException("The line is cut");
      }
      try {
        // While it does not read, it does not answer pings either.
        if (hangs && !hang.await(LONG.toSeconds(), TimeUnit.SECONDS)) {
          throw new AssertionError("Nobody let go");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void onClosing(WebSocket webSocket, int code, String reason) {
      webSocket.close(1000, null);
      ended.countDown();
    }

    @Override
    public void onFailure(WebSocket webSocket, Throwable problem, @Nullable Response response) {
      ended.countDown();
    }

    private WebSocket socket() throws InterruptedException {
      if (socket == null) {
        socket = taken(here);
      }
      return socket;
    }

    SlackSide says(String frame) throws InterruptedException {
      assertThat(socket().send(frame.replace('\'', '"'))).isTrue();
      return this;
    }

    SlackSide sends(String envelope) throws InterruptedException {
      return says(
          "{'envelope_id':'%s','type':'events_api','payload':{'type':'event_callback'}}"
              .formatted(envelope));
    }

    String ack() throws InterruptedException {
      return taken(acks);
    }
  }

  private static <T> T taken(BlockingQueue<T> queue) throws InterruptedException {
    var first = queue.poll(LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(first).isNotNull();
    return first;
  }

  @BeforeEach
  void listen() throws IOException {
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            var refusal = refusals.poll();
            if (refusal != null) {
              return refusal;
            }
            var side = new SlackSide();
            opened.add(side);
            return new MockResponse.Builder().webSocketUpgrade(side).build();
          }
        });
    server.start(InetAddress.getLoopbackAddress(), 0);
  }

  @AfterEach
  void close() {
    if (socket != null) {
      socket.close();
    }
    server.close();
  }

  /// How many of the next requests for an address fail.
  private final AtomicInteger faults = new AtomicInteger();

  private SlackSocket open(SlackSocket.Timeouts pace) {
    var made =
        new SlackSocket(
            () -> {
              if (faults.getAndDecrement() > 0) {
                throw new StackOverflowError();
              }
              return Optional.ofNullable(addresses.poll())
                  .orElseGet(
                      () -> new SlackResponse.Ok<>(server.url("/link?ticket=secret").toString()));
            },
            request -> {
              requests.add(request);
              return door.apply(request);
            },
            new OkHttpClient(),
            clock,
            RandomGenerator.getDefault(),
            pace);
    socket = made;
    made.start();
    return made;
  }

  private SlackSide next() throws InterruptedException {
    return taken(opened);
  }

  private SlackSide greeted() throws InterruptedException {
    return next().says(HELLO);
  }

  @Nested
  class AnEnvelope {
    @Test
    void socketIsOpenedAfterAnyErrorBefore() throws Exception {
      faults.set(1);
      open(TIMEOUTS);

      assertThat(greeted().sends("e1").ack()).contains("e1");
    }

    @Test
    void storedEnvelopeIsAcknowledged() throws Exception {
      open(TIMEOUTS);

      assertThat(greeted().sends("e1").ack()).isEqualTo("{\"envelope_id\":\"e1\"}");
      assertThat(requests).singleElement().extracting(SlackRequests::body).asString().isNotBlank();
    }

    @Test
    void socketReplyIsSentInTheAcknowledgement() throws Exception {
      door = _ -> Reply.json(200, "{\"text\":\"On it.\"}");
      open(TIMEOUTS);

      assertThat(greeted().sends("e1").ack())
          .isEqualTo("{\"envelope_id\":\"e1\",\"payload\":{\"text\":\"On it.\"}}");
    }

    @Test
    void unstoredEnvelopeIsNotAcknowledgedAndAcceptedWhenResent() throws Exception {
      door = _ -> requests.size() == 1 ? Reply.empty(503) : TAKEN;
      open(TIMEOUTS);
      var slack = greeted().sends("e1");
      await().until(() -> requests.size() == 1);

      slack.sends("e2");

      assertThat(slack.ack()).contains("e2");
      assertThat(slack.acks).isEmpty();
    }

    @Test
    void failureOfOneEnvelopeDoesNotEndTheConnection() throws Exception {
      door =
          _ -> {
            if (requests.size() == 1) {
              throw new IllegalStateException("a fault of ours");
            }
            return TAKEN;
          };
      open(TIMEOUTS);
      var slack = greeted().sends("e1");
      await().until(() -> requests.size() == 1);

      assertThat(slack.sends("e2").ack()).contains("e2");
    }

    @Test
    void envelopeDoesNotWaitForAnother() throws Exception {
      var release = new CountDownLatch(1);
      door =
          _ -> {
            if (requests.size() == 1) {
              await().until(() -> release.getCount() == 0);
            }
            return TAKEN;
          };
      open(TIMEOUTS);
      var slack = greeted().sends("slow");
      await().until(() -> requests.size() == 1);

      assertThat(slack.sends("quick").ack()).contains("quick");
      release.countDown();
      assertThat(slack.ack()).contains("slow");
    }

    @Test
    void malformedEnvelopeIsIgnored() throws Exception {
      open(TIMEOUTS);
      var slack = greeted();

      slack
          .says("not json")
          .says("[]")
          .says("7")
          .says("{'type':'events_api','payload':{}}")
          .says("{'type':'from_the_future','envelope_id':'e0','payload':{}}")
          .says("{'type':'slash_commands','envelope_id':'e1','payload':'x'}")
          .sends("e2");

      assertThat(List.of(slack.ack(), slack.ack()))
          .anyMatch(it -> it.contains("e1"))
          .anyMatch(it -> it.contains("e2"));
    }
  }

  @Nested
  class ASocketThatSlackWillClose {
    @Test
    void closingSocketIsReplacedFirstAndUsedMeanwhile() throws Exception {
      var made = open(TIMEOUTS);
      var old = greeted().says("{'type':'disconnect','reason':'warning'}");

      var replacement = next();
      assertThat(old.sends("before the hello").ack()).contains("before the hello");
      replacement.says(HELLO);

      assertThat(replacement.sends("on the new one").ack()).contains("on the new one");
      assertThat(old.sends("on the old one").ack()).contains("on the old one");
      assertThat(old.ended.getCount()).isOne();
      old.socket().close(1000, null);
      assertThat(made.problem()).isEmpty();
      assertThat(replacement.sends("after all").ack()).contains("after all");
    }

    @Test
    void oldSocketIsClosedIfSlackDoesNotCloseIt() throws Exception {
      open(
          new SlackSocket.Timeouts(
              LONG,
              LONG,
              TIMEOUTS.minDelay(),
              TIMEOUTS.maxDelay(),
              LONG,
              Duration.ofMillis(10),
              LONG));
      var old = greeted().says("{'type':'disconnect','reason':'refresh_requested'}");

      assertThat(old.ended.getCount()).isOne();
      greeted();

      assertThat(old.ended.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  @Nested
  class ASocketThatBreaks {
    @Test
    void brokenSocketIsReopenedAndUnacknowledgedEnvelopesAreResent() throws Exception {
      var held = new CountDownLatch(1);
      door =
          _ -> {
            if (requests.size() == 1) {
              await().until(() -> held.getCount() == 0);
            }
            return TAKEN;
          };
      open(TIMEOUTS);
      var broken = greeted().sends("e1");
      await().until(() -> requests.size() == 1);
      broken.breaks = true;
      assertThat(broken.sends("the last").ack()).contains("the last");
      var again = greeted();
      held.countDown();

      assertThat(again.sends("e1").ack()).contains("e1");
      assertThat(requests).hasSize(3);
      assertThat(broken.acks).isEmpty();
    }

    @Test
    void silentConnectionIsReplaced() throws Exception {
      open(
          new SlackSocket.Timeouts(
              LONG,
              Duration.ofSeconds(1),
              TIMEOUTS.minDelay(),
              TIMEOUTS.maxDelay(),
              LONG,
              LONG,
              LONG));
      var asleep = greeted();
      asleep.hangs = true;
      asleep.sends("e1").ack();

      assertThat(greeted().sends("e2").ack()).contains("e2");
      asleep.hang.countDown();
    }

    @Test
    void connectionIsRetriedUntilSlackSaysHello() throws Exception {
      refusals.add(new MockResponse.Builder().code(503).build());
      addresses.add(new SlackResponse.Wait<>(Optional.empty(), "Slack is unreachable"));
      addresses.add(new SlackResponse.Ok<>("not an address"));
      addresses.add(new SlackResponse.No<>("invalid_auth"));
      open(
          new SlackSocket.Timeouts(
              Duration.ofSeconds(1),
              LONG,
              TIMEOUTS.minDelay(),
              TIMEOUTS.maxDelay(),
              LONG,
              LONG,
              LONG));
      var mute = next();

      assertThat(greeted().sends("e1").ack()).contains("e1");
      assertThat(mute.ended.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  @Nested
  class Readiness {
    @Test
    void socketIsReadyAfterTheFirstHello() throws Exception {
      var made = open(TIMEOUTS);
      var slack = next();

      assertThat(made.problem())
          .contains("Slack's socket is not connected (since 2026-01-05T09:00:00Z: connecting)");
      slack.says(HELLO);
      await().until(() -> made.problem().isEmpty());
    }

    @Test
    void readinessNamesSlacksError() throws Exception {
      for (var i = 0; i < 1000; i++) {
        addresses.add(new SlackResponse.No<>("invalid_auth"));
      }
      var made = open(TIMEOUTS);

      await()
          .until(() -> made.problem().orElse("").contains("refuses SLACK_APP_TOKEN: invalid_auth"));
    }

    @Test
    void readinessSurvivesAShortDisconnectionButNotALongOne() throws Exception {
      var made = open(TIMEOUTS);
      var slack = greeted();
      await().until(() -> made.problem().isEmpty());

      slack.socket().close(1001, "going away");
      next();
      assertThat(made.problem()).isEmpty();

      clock.advance(Duration.ofSeconds(6));
      assertThat(made.problem().orElse(""))
          .startsWith("Slack's socket is not connected (since 2026-01-05T09:00:00Z: ")
          .doesNotContain("ticket", "secret");
    }
  }

  @Test
  void closingAcknowledgesAcceptedEnvelopesAndOpensNoSocket() throws Exception {
    var held = new CountDownLatch(1);
    door =
        _ -> {
          await().until(() -> held.getCount() == 0);
          return TAKEN;
        };
    var made = open(TIMEOUTS);
    var slack = greeted().sends("e1");
    await().until(() -> requests.size() == 1);
    var closing = Thread.ofVirtual().start(made::close);
    await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
    held.countDown();

    assertThat(slack.ack()).contains("e1");
    assertThat(slack.ended.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(closing.join(LONG)).isTrue();
    assertThat(opened).isEmpty();
  }
}
