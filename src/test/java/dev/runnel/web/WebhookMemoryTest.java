package dev.runnel.web;

import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.testkit.Samples;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a delivery holds in memory from its arrival until it is stored.
class WebhookMemoryTest {
  private static final int MIB = 1024 * 1024;
  private static final String PATH = "/webhooks/fake";

  private final MemoryBudget memory = MemoryBudget.of(256L * MIB);
  private final Share unproven = memory.share(MemoryBudget.Kind.UNPROVEN);
  private final Share proven = memory.share(MemoryBudget.Kind.PROVEN);
  private final HttpClient http = HttpClient.newHttpClient();
  private final WaitingStore store = new WaitingStore();
  private final AtomicLong provenWhileParsing = new AtomicLong();
  private final WebServer server = start();
  private final long always = unproven.taken();

  private WebServer start() {
    var endpoint =
        new WebhookEndpoint(
            store,
            Surfaces.of(List.of(new SignedSurface())),
            InstantSource.system(),
            new RequestMetrics(),
            TraceRecorder.NONE);
    Map<String, SurfaceId> paths = Map.of(PATH, Samples.SURFACE);
    return WebServer.start(
        "127.0.0.1",
        0,
        WebLimits.of(memory, TrustedProxies.NONE),
        _ -> 5L * MIB,
        new RequestThreadPool(),
        endpoint.direct(paths),
        routes -> endpoint.routes(routes, paths, _ -> true));
  }

  @AfterEach
  void close() {
    server.close();
    http.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 50_000, 5 * MIB})
  void aDeliveryHoldsMemoryOfProvenSendersUntilTheStoreReleasesIt(int length) throws Exception {
    var answer = send("s".repeat(length));
    await().until(() -> store.released != null);

    assertThat(proven.taken()).isGreaterThanOrEqualTo(length);
    await().until(() -> unproven.taken() == always);
    store.isNew.complete(true);
    assertThat(answer.join().statusCode()).isEqualTo(200);
    assertThat(proven.taken()).isGreaterThanOrEqualTo(length);
    requireNonNull(store.released).run();
    assertThat(proven.taken()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 50_000, 200_000})
  void withoutMemoryADeliveryIsRefusedAndNotStored(int length) throws Exception {
    try (var _ = proven.tryTake(proven.size() - 500).orElseThrow()) {
      var answer = send("s".repeat(length)).join();

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).contains("1");
      assertThat(store.released).isNull();
    }
  }

  @Test
  void largeBodiesAreParsedWithMemoryForTheirObjects() throws Exception {
    assertThat(send("f".repeat(5 * MIB)).join().statusCode()).isEqualTo(401);

    assertThat(provenWhileParsing.get()).isEqualTo(15L * MIB);
    await().until(() -> proven.taken() == 0 && unproven.taken() == always);
  }

  /// The sender gets an answer in time, and the memory is held for as long as the database may use
  /// it.
  @Test
  @Tag("slow")
  void aDatabaseThatDoesNotSayWhetherThereIsARunKeepsNoSenderWaiting() throws Exception {
    store.mayHaveRun = new CompletableFuture<>();

    assertThat(send("o".repeat(1_000)).join().statusCode()).isEqualTo(503);
    assertThat(proven.taken()).isPositive();
    store.mayHaveRun.complete(false);
    assertThat(proven.taken()).isZero();
  }

  private CompletableFuture<HttpResponse<String>> send(String body) {
    var uri = URI.create("http://127.0.0.1:" + server.port() + PATH);
    return http.sendAsync(
        HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }

  /// The first letter says whether a body is signed, forged, or signed and overheard.
  private final class SignedSurface implements Surface {
    @Override
    public SurfaceId id() {
      return Samples.SURFACE;
    }

    @Override
    public WebhookResult receive(RawRequest request) {
      provenWhileParsing.set(proven.taken());
      var reply = Reply.text(200, "ok");
      return switch (request.body()[0]) {
        case 's' -> new WebhookResult.Accepted(delivery("1", say("go")), reply);
        case 'o' ->
            new WebhookResult.Accepted(delivery("1", say("go")).withAddressed(false), reply);
        default -> WebhookResult.Rejected.with(401, "bad signature");
      };
    }

    @Override
    public Posting post(Notice notice, @Nullable PostRef status) {
      return new Posting.Undeliverable("nowhere");
    }
  }

  private static final class WaitingStore implements Store {
    private final CompletableFuture<Boolean> isNew = new CompletableFuture<>();
    private volatile CompletableFuture<Boolean> mayHaveRun =
        CompletableFuture.completedFuture(true);
    private volatile @Nullable Runnable released;

    @Override
    public CompletableFuture<Boolean> acceptLater(Delivery delivery, Runnable then) {
      released = then;
      return isNew;
    }

    @Override
    public CompletableFuture<Boolean> mayHaveRunLater(Conversation conversation) {
      return mayHaveRun;
    }

    @Override
    public <T> T commit(Function<Work, T> step) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean accept(Delivery delivery) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> T read(Function<Bindings, T> question) {
      throw new UnsupportedOperationException();
    }
  }
}
