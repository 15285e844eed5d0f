package dev.runnel.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.wire.CreateRun;
import java.util.ArrayList;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AsyncTest extends ClientFixture {
  @Test
  void futureReturnsTheValue() throws Exception {
    server.enqueue(json(200, RUN));
    try (var client = builder().build()) {
      var title = client.runs().get("r1").sendAsync().thenApply(run -> run.title());

      assertThat(title.get(10, TimeUnit.SECONDS)).isEqualTo("Fix it");
    }
  }

  @Test
  void theFutureFailsWithARunsException() {
    server.enqueue(problem(404, "resource_not_found"));
    try (var client = builder().build()) {
      assertThatThrownBy(() -> client.runs().get("r1").sendAsync().get(10, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(RunsException.NotFound.class);
    }
  }

  @Test
  void cancellingTheFutureEndsTheExchange() throws Exception {
    try (var hanging = new Hanging();
        var client = builder().baseUrl(hanging.server.baseUrl()).build()) {
      var future = client.runs().create(CreateRun.of("fix it")).sendAsync();
      hanging.asked.await();

      assertThat(future.cancel(true)).isTrue();

      hanging.left.await();
      assertThatThrownBy(future::join).isInstanceOf(CancellationException.class);
    }
  }

  @Test
  void timeoutOfTheFutureCancelsTheRequest() throws Exception {
    try (var hanging = new Hanging();
        var client = builder().baseUrl(hanging.server.baseUrl()).build()) {
      var future = client.runs().get("r1").sendAsync().orTimeout(300, TimeUnit.MILLISECONDS);

      hanging.left.await();
      assertThatThrownBy(future::get).hasCauseInstanceOf(TimeoutException.class);
    }
  }

  @Test
  void externalCompletionOfTheFutureCancelsTheRequest() throws Exception {
    try (var hanging = new Hanging();
        var client = builder().baseUrl(hanging.server.baseUrl()).build()) {
      var future = client.get("agent/x").sendAsync();
      hanging.asked.await();

      future.complete(com.fasterxml.jackson.databind.node.NullNode.instance);

      hanging.left.await();
    }
  }

  @Test
  void asyncCallRunsOnTheGivenExecutor() throws Exception {
    var thread = new AtomicReference<String>();
    server.enqueue(json(200, RUN));
    try (var own = Executors.newSingleThreadExecutor(task -> new Thread(task, "own"))) {
      try (var client =
          builder()
              .executor(own)
              .onAttempt(_ -> thread.set(Thread.currentThread().getName()))
              .build()) {
        client.runs().get("r1").sendAsync().get(10, TimeUnit.SECONDS);
      }

      assertThat(thread.get()).isEqualTo("own");
      assertThat(own.isShutdown()).isFalse();
    }
  }

  @Test
  void rejectionByTheExecutorFailsTheFuture() {
    var own = Executors.newSingleThreadExecutor();
    own.shutdown();
    try (var client = builder().executor(own).build()) {
      assertThatThrownBy(() -> client.runs().get("r1").sendAsync().get())
          .hasCauseInstanceOf(RejectedExecutionException.class);
    }
  }

  @Test
  void requestCancelledBeforeItsStartIsNeverSent() {
    var waiting = new ArrayList<Runnable>();
    try (var client = builder().executor(waiting::add).build()) {
      client.runs().get("r1").sendAsync().cancel(true);
      waiting.forEach(Runnable::run);
    }
    assertThat(server.getRequestCount()).isZero();
  }

  @Test
  void failedAsyncCallDoesNotInterruptItsThread() {
    try (var client = builder().executor(Runnable::run).build()) {
      var refused =
          client
              .runs()
              .get("r1")
              .withOptions(
                  it ->
                      it.withBodyMember("x", com.fasterxml.jackson.databind.node.NullNode.instance))
              .sendAsync();

      assertThatThrownBy(refused::get).hasCauseInstanceOf(IllegalArgumentException.class);
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  @Test
  void bodyOfACancelledFutureIsClosed() {
    var pool = new ConnectionPool();
    var waiting = new ArrayList<Runnable>();
    var future = new AtomicReference<CompletableFuture<StreamedResponse>>();
    server.enqueue(json(200, "x".repeat(1 << 20)));
    try (var client =
        builder()
            .httpClient(new OkHttpClient.Builder().connectionPool(pool).build())
            .executor(waiting::add)
            .onAttempt(_ -> requireNonNull(future.get()).cancel(true))
            .build()) {
      future.set(client.get("agent/x").withStreamedBody().sendAsync());
      waiting.forEach(Runnable::run);

      var _ = Thread.interrupted();
      assertThat(future.get()).isCancelled();
      assertThat(pool.idleConnectionCount()).isEqualTo(pool.connectionCount());
    }
  }

  @Test
  void allPagesArePassedToTheConsumer() throws Exception {
    server.enqueue(json(200, page("a,b", "c1")));
    server.enqueue(json(200, page("c", null)));
    var seen = new ArrayList<String>();
    try (var client = builder().build()) {
      client
          .runs()
          .pages(ListRuns.ALL)
          .forEachAsync(run -> seen.add(run.runId()))
          .get(10, TimeUnit.SECONDS);
    }
    assertThat(seen).containsExactly("a", "b", "c");
  }

  /// A server that reads and says nothing until the client has left.
  static final class Hanging implements AutoCloseable {
    final CountDownLatch asked = new CountDownLatch(1);
    final CountDownLatch left = new CountDownLatch(1);
    final RawServer server;

    Hanging() throws Exception {
      server =
          new RawServer(
              (socket, _) -> {
                var input = socket.getInputStream();
                while (!endsWithHead(input)) {}
                asked.countDown();
                try {
                  while (input.read() >= 0) {}
                } finally {
                  left.countDown();
                }
              });
    }

    private static boolean endsWithHead(java.io.InputStream input) throws java.io.IOException {
      return input.read() == '\n' && input.read() == '\r' && input.read() == '\n';
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
