package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.service.RunningService;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.MigratedFile;
import io.javalin.Javalin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever goes wrong behind an address of the service, the answer is a problem.
@Tag("slow")
class AuthFilterTest {
  private static final Share MEMORY = MemoryBudget.of(256L << 20).share(MemoryBudget.Kind.READERS);

  private static final String KEY = "test-key";

  /// What handlers throw here, by the end of their address.
  private static final Map<String, Throwable> FAILURES =
      Map.of(
          "unchecked", new IllegalStateException("no room for the words of the agent"),
          "stack", new StackOverflowError(),
          "linkage", new NoClassDefFoundError("Missing"),
          "checked", new Exception("no row"),
          "interrupt", new InterruptedException());

  @TempDir static Path folder;
  private static final HttpClient client = HttpClient.newHttpClient();
  private static Database database;
  private static Javalin server;

  @BeforeAll
  static void start() {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    var keys = new ApiKeys(database, InstantSource.system(), KEY);
    server =
        Javalin.create(
                config -> {
                  var authFilter =
                      new AuthFilter(keys, () -> URI.create("http://runnel.test:8080/"));
                  var api = new Api(config.routes, authFilter, MEMORY);
                  FAILURES.forEach(
                      (name, failure) ->
                          api.get(
                              "/" + name,
                              (_, _) -> {
                                switch (failure) {
                                  case Error error -> throw error;
                                  case Exception exception -> throw exception;
                                  default -> throw new AssertionError(failure);
                                }
                              }));
                  api.registerFallback();
                })
            .start("127.0.0.1", 0);
  }

  @AfterAll
  static void stop() {
    server.stop();
    database.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"unchecked", "stack", "linkage", "checked", "interrupt"})
  void everyFailureIsReportedAsAProblemWithoutItsMessage(String failure) throws Exception {
    var answer = send("GET", "/" + failure);

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(RunningService.problem(answer)).isEqualTo("internal_error");
    assertThat(answer.body()).doesNotContain("no room", "Missing", "no row");
  }

  @ParameterizedTest
  @CsvSource({
    "TRACE, /unchecked, 405",
    "QUERY, /unchecked, 405",
    "PROPFIND, /unchecked, 405",
    "OPTIONS, /unchecked, 405",
    "PROPFIND, /elsewhere, 404",
    "TRACE, /elsewhere, 404"
  })
  void everyUnsupportedMethodIsAnsweredWithAProblem(String method, String path, int status)
      throws Exception {
    var answer = send(method, path);

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(RunningService.problem(answer))
        .isEqualTo(status == 405 ? "method_not_allowed" : "resource_not_found");
  }

  @Test
  void unknownMethodRequiresTheKeyToo() throws Exception {
    var answer =
        client.send(
            HttpRequest.newBuilder(uri("/unchecked"))
                .method("PROPFIND", BodyPublishers.noBody())
                .build(),
            BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(401);
  }

  private HttpResponse<String> send(String method, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(uri(path))
            .header("Authorization", "Bearer " + KEY)
            .method(method, BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  private static URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + "/api/v1" + path);
  }
}
