package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.database.Database;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.service.RunningService;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.MigratedFile;
import io.javalin.Javalin;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Answers of the API, of which the memory is counted.
@Timeout(60)
class ReaderMemoryTest {
  private static final int MIB = 1024 * 1024;
  private static final String KEY = "the-main-key-of-tests";

  @TempDir Path folder;
  private final Share readers = MemoryBudget.of(256L * MIB).share(MemoryBudget.Kind.READERS);
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Long> taken = new CopyOnWriteArrayList<>();
  private Database database;
  private Javalin server;
  private ApiKeys keys;

  @BeforeEach
  void start() {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    keys = new ApiKeys(database, InstantSource.system(), KEY);
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.concurrency.useVirtualThreads = true;
                  var filter = new AuthFilter(keys, () -> URI.create("http://runnel.test:8080/"));
                  var api = new Api(config.routes, filter, readers);
                  api.get(
                      "/answer",
                      (ctx, _) -> {
                        taken.add(readers.taken());
                        Api.respond(ctx, "\"%s\"".formatted("x".repeat(MIB)));
                      });
                  api.open(
                      "/file",
                      (ctx, _) -> {
                        taken.add(readers.taken());
                        ctx.result(new ByteArrayInputStream(new byte[3 * MIB]));
                      });
                  api.registerFallback();
                })
            .start("127.0.0.1", 0);
  }

  @AfterEach
  void stop() {
    client.shutdownNow();
    server.stop();
    database.close();
  }

  private HttpResponse<String> get(String path, String key) throws Exception {
    var address = URI.create("http://127.0.0.1:%d/api/v1%s".formatted(server.port(), path));
    return client.send(
        HttpRequest.newBuilder(address).header("Authorization", "Bearer " + key).build(),
        BodyHandlers.ofString());
  }

  @Test
  void answerArrivesWholeAndReturnsItsMemory() throws Exception {
    assertThat(get("/answer", KEY).body()).hasSize(MIB + 2);
    assertThat(taken).containsExactly(2L * MIB);
    await().until(() -> readers.taken() == 2 * MIB);
  }

  @Test
  void fileTakesNoMoreThanAPiece() throws Exception {
    assertThat(get("/file", KEY).body()).hasSize(3 * MIB);
    assertThat(taken).containsExactly(3L * MIB);
    await().until(() -> readers.taken() == 2 * MIB);
  }

  @Test
  void answerWithoutMemoryIsAProblem() throws Exception {
    var reader = keys.issue("reader", "read", Optional.empty()).secret();
    try (var _ = readers.tryTake(readers.size() - 3 * MIB).orElseThrow()) {
      var answer = get("/answer", reader);

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(RunningService.problem(answer)).isEqualTo("resource_unavailable");
    }
    assertThat(taken).isEmpty();
  }

  /// Pages wait for it, while they hold what they need to be made.
  @Test
  void answerToTheMainKeyIsPossibleWhateverOthersTake() throws Exception {
    try (var _ = readers.tryTake(readers.size() - readers.taken()).orElseThrow()) {
      assertThat(get("/answer", KEY).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void requestWithoutAKeyTakesNoMemory() throws Exception {
    assertThat(get("/answer", "wrong").statusCode()).isEqualTo(401);
    assertThat(readers.refusals()).isZero();
    assertThat(taken).isEmpty();
  }
}
