import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.surface.PlatformContext;
import dev.runnel.surface.github.GitHub;
import dev.runnel.surface.github.GitHubConfig;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.RequestThreadPool;
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
    var settings =
        Map.of(
            "SLACK_SIGNING_SECRET", System.getenv("SECRET"),
            "SLACK_BOT_TOKEN", "xoxb-bench",
            "SLACK_API_URL", "http://127.0.0.1:9/api/",
            "GITHUB_WEBHOOK_SECRET", System.getenv("SECRET"),
            "GITHUB_TOKEN", "bench",
            "GITHUB_API_URL", "http://127.0.0.1:9",
            "RUNNEL_TRIGGER_LABEL", "bug");
    var http = new OkHttpClient();
    var threads = new RequestThreadPool();
    var database = Database.sqlite(Path.of(System.getenv("RUNNEL_DATA"), "runnel.db"));
    var store = new SqlStore(database, clock, threads.responses());
    var publicUrl = URI.create("http://127.0.0.1:" + System.getenv("PORT"));
    var context = new PlatformContext(http, clock, publicUrl, database::dataSource);
    var slack = new SlackSurface(SlackConfig.from(settings).orElseThrow(), context);
    var github = GitHub.surface(GitHubConfig.from(settings).orElseThrow(), http, clock);
    var surfaces = Surfaces.of(List.of(slack, github));
    var endpoint = new WebhookEndpoint(store, surfaces, clock, new RequestMetrics(), TraceRecorder.NONE);
    var paths = Map.of(SlackConfig.EVENTS_PATH, slack.id(), GitHub.PATH, github.id());
    WebServer.start(
        "127.0.0.1",
        Integer.parseInt(System.getenv("PORT")),
        5_000_000,
        threads,
        endpoint.direct(paths),
        routes -> endpoint.routes(routes, paths, _ -> true));
  }
}
