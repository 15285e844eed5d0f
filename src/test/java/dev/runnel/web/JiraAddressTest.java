package dev.runnel.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.surface.jira.Jira;
import dev.runnel.surface.jira.JiraConfig;
import dev.runnel.testkit.GoldenDeliveries;
import dev.runnel.testkit.MemoryStore;
import io.javalin.Javalin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A Data Center that cannot sign has the secret at the end of its address.
class JiraAddressTest {
  private static final Conversation SHOP_7 = new Conversation(new SurfaceId("jira"), "SHOP-7");

  private final MemoryStore store = new MemoryStore();
  private Javalin server;

  @BeforeEach
  void open() {
    var settings =
        Map.of(
            "JIRA_WEBHOOK_SECRET", "a secret/1",
            "JIRA_URL", "https://jira.example",
            "JIRA_TOKEN", "a-token");
    var jira =
        Jira.surface(
            JiraConfig.from(settings).orElseThrow(), new OkHttpClient(), InstantSource.system());
    var door =
        new WebhookEndpoint(
            store,
            Surfaces.of(List.of(jira)),
            InstantSource.system(),
            new RequestMetrics(),
            TraceRecorder.NONE);
    server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  door.routes(config.routes, KnownPlatforms.paths(), _ -> true);
                })
            .start("127.0.0.1", 0);
  }

  @AfterEach
  void close() {
    server.stop();
  }

  @ParameterizedTest
  @CsvSource({
    "/webhooks/jira/a%20secret%2F1, 202, 1",
    "/webhooks/jira/a+secret%2F1, 401, 0",
    "/webhooks/jira/a%20secret, 401, 0",
    "/webhooks/jira/another, 401, 0",
    "/webhooks/jira/, 401, 0",
    "/webhooks/jira, 401, 0",
  })
  void onlyTheCompleteSecretInTheAddressIsAccepted(String path, int status, int kept)
      throws Exception {
    var body = new GoldenDeliveries("jira").read("data-center-issue-labeled").bytes();
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
              .POST(BodyPublishers.ofByteArray(body))
              .build();
      var answer = http.send(request, BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(status);
      assertThat(answer.body()).isEmpty();
      assertThat(store.<Integer>commit(work -> work.inbox().waiting(SHOP_7).size()))
          .isEqualTo(kept);
    }
  }
}
