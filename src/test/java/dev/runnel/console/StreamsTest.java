package dev.runnel.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.memory.Lease;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import io.javalin.Javalin;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Open pages of several readers, of whom some have many.
@Timeout(60)
class StreamsTest {
  private final Share memory = MemoryBudget.of(256L * 1024 * 1024).share(MemoryBudget.Kind.READERS);
  private final HttpClient browser = HttpClient.newHttpClient();
  private Streams streams = new Streams(1, 1, Duration.ZERO, Duration.ZERO, memory);
  private Javalin server = Javalin.create();

  private void serve(int most, int mostOfOne, Streams.PageEvents events) {
    var opened = new Streams(most, mostOfOne, Duration.ofMillis(20), Duration.ofMillis(60), memory);
    streams = opened;
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.concurrency.useVirtualThreads = true;
                  config.routes.get(
                      "/{reader}", ctx -> opened.open(ctx, ctx.pathParam("reader"), events));
                })
            .start("127.0.0.1", 0);
  }

  @AfterEach
  void stop() {
    browser.shutdownNow();
    streams.close();
    server.stop();
  }

  private HttpResponse<InputStream> open(String reader) throws IOException, InterruptedException {
    var address = URI.create("http://127.0.0.1:%d/%s".formatted(server.port(), reader));
    return browser.send(
        HttpRequest.newBuilder(address).header("Accept", "text/event-stream").build(),
        BodyHandlers.ofInputStream());
  }

  private List<HttpResponse<InputStream>> open(String reader, int pages) throws Exception {
    var all = new ArrayList<HttpResponse<InputStream>>();
    for (int i = 0; i < pages; i++) {
      all.add(open(reader));
    }
    return all;
  }

  /// Reads until the stream ends.
  private static String rest(HttpResponse<InputStream> page) throws IOException {
    try (var body = page.body()) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static boolean ticks(EventBuffer page) {
    page.add("tick", "1");
    return true;
  }

  @Test
  void eventHasANameAnIdAndALineForEachOfItsData() throws Exception {
    serve(
        1,
        1,
        page -> {
          page.add("lines", "one\r\ntwo\n", "7");
          return false;
        });

    assertThat(rest(open("dana"))).isEqualTo("id: 7\nevent: lines\ndata: one\ndata: two\n\n");
    await().until(() -> memory.taken() == 0);
  }

  @Test
  void newestPageOfTheReaderWithMostMakesRoomForAnotherReader() throws Exception {
    serve(3, 3, StreamsTest::ticks);
    var mine = open("dana", 3);

    var other = open("kim");

    assertThat(other.statusCode()).isEqualTo(200);
    assertThat(rest(mine.getLast())).startsWith("event: tick");
    assertThat(streams.open()).isEqualTo(3);
    assertThat(mine.getFirst().body().read()).isEqualTo('e');
  }

  @Test
  void readerWithAsManyPagesAsOthersIsRefusedUntilOneCloses() throws Exception {
    serve(2, 2, StreamsTest::ticks);
    var mine = open("dana");
    var other = open("kim");

    assertThat(List.of(mine.statusCode(), other.statusCode())).containsOnly(200);
    var refused = open("dana");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).contains("10");

    other.body().close();
    await().until(() -> streams.open() == 1);
    assertThat(open("dana").statusCode()).isEqualTo(200);
  }

  @Test
  void twoHundredPagesOfOneReaderLeaveTheUpdatesOfOthers() throws Exception {
    serve(190, 32, StreamsTest::ticks);

    var greedy = open("dana", 200);

    assertThat(greedy).filteredOn(page -> page.statusCode() == 200).hasSize(32);
    for (int i = 0; i < 20; i++) {
      var other = open("kim" + i);
      assertThat(other.statusCode()).isEqualTo(200);
      var lines = new BufferedReader(new InputStreamReader(other.body(), StandardCharsets.UTF_8));
      assertThat(lines.readLine()).isEqualTo("event: tick");
    }
    assertThat(memory.taken()).isLessThan(memory.size());
  }

  /// Many readers with few pages each are no less than one with many.
  @Test
  void placesOfManyReadersAreNeverMoreThanTheirShare() throws Exception {
    serve(10, 3, StreamsTest::ticks);

    for (int reader = 0; reader < 20; reader++) {
      open("reader" + reader, 3);
    }

    assertThat(streams.open()).isLessThanOrEqualTo(10);
    streams.close();
    await().until(() -> memory.taken() == 0);
  }

  @Test
  void streamThatFailsWithAnyErrorEndsAndReturnsItsMemory() throws Exception {
    serve(
        1,
        1,
        _ -> {
          throw new StackOverflowError();
        });

    assertThat(rest(open("dana"))).isEmpty();
    await().until(() -> streams.open() == 0 && memory.taken() == 0);
  }

  @Test
  void streamsThatCollectLeaveMostOfTheMemoryToPages() throws Exception {
    var release = new CountDownLatch(1);
    var collecting = new AtomicInteger();
    serve(
        32,
        32,
        _ -> {
          collecting.incrementAndGet();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return false;
        });

    open("dana", 32);
    await().until(() -> collecting.get() >= 4);

    assertThat(memory.taken()).isLessThanOrEqualTo(memory.size() / 2);
    release.countDown();
    await().until(() -> memory.taken() == 0);
  }

  @Test
  void changesWaitUntilMemoryIsFree() throws Exception {
    var all = new ArrayList<Lease>();
    serve(
        1,
        1,
        page -> {
          page.add("tick", Integer.toString(all.size()));
          return false;
        });
    var rest = memory.tryTake(memory.size() - Streams.BYTES).orElseThrow();

    var page = open("dana");
    all.add(rest);
    rest.close();

    assertThat(rest(page)).isEqualTo("event: tick\ndata: 1\n\n");
  }
}
