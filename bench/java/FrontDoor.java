import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.surface.github.GitHub;
import dev.runnel.surface.github.GitHubConfig;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.tracker.TrackerSettings;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebServer;
import dev.runnel.web.WebhookEndpoint;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import okhttp3.OkHttpClient;

/// Runnel's receiving side alone, from the classes of the server: verify, parse, commit, acknowledge. Nothing works on
/// what was accepted.
final class FrontDoor {
  private FrontDoor() {}

  public static void main(String[] args) {
    var clock = InstantSource.system();
    var secrets = List.of(System.getenv("SECRET"));
    var store =
        new SqlStore(
            Database.sqlite(Path.of(System.getenv("RUNNEL_DATA"), "runnel.db")), clock);
    var slack =
        new SlackSurface(
            new SlackConfig(
                secrets, "xoxb-bench", URI.create("http://127.0.0.1:9/api/"), "/agent"),
            clock);
    var github =
        GitHub.surface(
            new GitHubConfig(
                secrets, "bench", URI.create("http://127.0.0.1:9"), TrackerSettings.of("bug", "agent")),
            new OkHttpClient(),
            clock);
    var surfaces = Surfaces.of(List.of(slack, github));
    var door = new WebhookEndpoint(store, surfaces, clock, new RequestMetrics(), TraceRecorder.NONE);
    var paths = Map.of(SlackConfig.EVENTS_PATH, slack.id(), GitHub.PATH, github.id());
    WebServer.start(
        "127.0.0.1",
        Integer.parseInt(System.getenv("PORT")),
        5_000_000,
        paths.keySet(),
        routes -> door.routes(routes, paths, _ -> true));
  }
}
