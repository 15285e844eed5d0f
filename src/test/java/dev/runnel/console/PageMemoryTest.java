package dev.runnel.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.Share;
import io.javalin.Javalin;
import io.javalin.http.Context;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PageMemoryTest {
  private static final int MIB = 1024 * 1024;

  private final Share readers = MemoryBudget.of(256L * MIB).share(MemoryBudget.Kind.READERS);
  private final PageMemory memory = new PageMemory(readers);
  private final HttpClient browser = HttpClient.newHttpClient();
  private final List<Long> taken = new CopyOnWriteArrayList<>();
  private final Javalin server =
      Javalin.create(
              config -> {
                config.startup.showJavalinBanner = false;
                config.concurrency.useVirtualThreads = true;
                config.routes.get(
                    "/page", ctx -> memory.send(ctx, PageMemory.LARGE_PAGE, () -> page(ctx)));
                config.routes.get("/text", ctx -> memory.sendInPieces(() -> text(ctx)));
                config.routes.exception(MemorySpentException.class, (_, ctx) -> ctx.status(503));
              })
          .start("127.0.0.1", 0);

  private void page(Context ctx) {
    taken.add(readers.taken());
    ctx.html("é".repeat(100_000));
  }

  private void text(Context ctx) throws Exception {
    taken.add(readers.taken());
    ctx.outputStream().write(new byte[10]);
  }

  @AfterEach
  void stop() {
    browser.shutdownNow();
    server.stop();
  }

  private HttpResponse<String> get(String path) throws Exception {
    var address = URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path));
    return browser.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
  }

  @Test
  void pageArrivesWholeAndReturnsItsMemory() throws Exception {
    assertThat(get("/page").body()).isEqualTo("é".repeat(100_000));
    assertThat(taken).containsExactly(2L * MIB);
    await().until(() -> readers.taken() == 0);
  }

  @Test
  void pageIsNotMadeWithoutMemory() throws Exception {
    try (var _ = readers.tryTake(readers.size() - MIB).orElseThrow()) {
      assertThat(get("/page").statusCode()).isEqualTo(503);
    }
    assertThat(taken).isEmpty();
    assertThat(get("/page").statusCode()).isEqualTo(200);
  }

  @Test
  void longTextsLeaveMemoryForPages() throws Exception {
    var most = readers.size() / 8 / MIB;
    var others = new ArrayList<Thread>();
    for (int i = 0; i < most; i++) {
      others.add(Thread.ofVirtual().start(() -> waiting()));
    }
    await().until(() -> readers.taken() == most * MIB);

    assertThat(get("/text").statusCode()).isEqualTo(503);
    assertThat(get("/page").statusCode()).isEqualTo(200);
    others.forEach(Thread::interrupt);
    await().until(() -> readers.taken() == 0);
    assertThat(get("/text").statusCode()).isEqualTo(200);
  }

  private void waiting() {
    try {
      memory.sendInPieces(() -> Thread.sleep(60_000));
    } catch (Exception interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
