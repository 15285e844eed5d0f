package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.surface.github.GitHub;
import dev.runnel.surface.github.GitHubConfigs;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.RequestThreadPool;
import dev.runnel.web.WebServer;
import dev.runnel.web.WebhookEndpoint;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class AotTrainingTest {
  private static final InstantSource CLOCK = InstantSource.system();
  private static final URI NOWHERE = URI.create("http://127.0.0.1:9/api/");

  @Test
  void serverAcknowledgesTheTrainingRequests() {
    var slack =
        SlackSurfaces.of(SlackSurfaces.oneWorkspace(List.of("slack"), "xoxb", NOWHERE), CLOCK);
    var gitHub =
        GitHub.surface(
            GitHubConfigs.withToken(
                List.of("github"), "token", NOWHERE, Settings.of("agent", "agent")),
            new OkHttpClient(),
            CLOCK);
    var store = new MemoryStore();
    var door =
        new WebhookEndpoint(
            store,
            Surfaces.of(List.of(slack, gitHub)),
            CLOCK,
            new RequestMetrics(),
            TraceRecorder.NONE);
    var paths = Map.of(SlackConfig.EVENTS_PATH, slack.id(), GitHub.PATH, gitHub.id());

    try (var server =
        WebServer.start(
            "127.0.0.1",
            0,
            1_000_000,
            new RequestThreadPool(),
            door.direct(paths),
            routes -> door.routes(routes, paths, _ -> true))) {
      assertThat(new AotTraining(server.port(), "slack", "github", CLOCK).run()).isPositive();
      assertThat(new AotTraining(server.port(), "other", "other", CLOCK).run()).isZero();
    }
  }
}
