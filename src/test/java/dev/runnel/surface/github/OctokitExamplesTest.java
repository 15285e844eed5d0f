package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.Emulators;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebhookEndpoint;
import io.javalin.Javalin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every payload that the people behind GitHub's libraries collected (`@octokit/webhooks-examples`
/// from npm), of GitHub.com and of each Enterprise Server, signed and sent through the real door.
@Tag("slow")
class OctokitExamplesTest {
  private static final JsonMapper JSON = new JsonMapper();

  /// Nobody says `@agent` in them. What ends an issue or a pull request may stop a run, and what
  /// becomes of a pull request is shown.
  private static final Map<String, String> ENDS =
      Map.of(
          "issues deleted", "Cancel",
          "issues transferred", "Cancel",
          "pull_request opened", "PullRequestChanged",
          "pull_request reopened", "PullRequestChanged",
          "pull_request converted_to_draft", "PullRequestChanged",
          "pull_request ready_for_review", "PullRequestChanged",
          "pull_request closed", "PullRequestChanged");

  /// With `bug` as the label that starts runs.
  private static final Map<String, String> LABELS =
      Map.of(
          "issues labeled", "Start",
          "issues unlabeled", "Cancel",
          "pull_request labeled", "Start",
          "pull_request unlabeled", "Cancel");

  /// Keeps what the door accepts.
  private static final class Kept implements Store {
    private final Store store = new MemoryStore();
    private final List<Delivery> accepted = new ArrayList<>();

    @Override
    public <T> T commit(Function<Work, T> step) {
      return store.commit(step);
    }

    @Override
    public boolean accept(Delivery delivery) {
      accepted.add(delivery);
      return store.accept(delivery);
    }

    @Override
    public <T> T read(Function<Bindings, T> question) {
      return store.read(question);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "api.github.com, 300",
    "ghes-35, 100",
    "ghes-34, 100",
    "ghes-33, 40",
    "ghes-32, 40",
    "ghes-31, 40",
  })
  void everyGitHubExampleIsAcceptedWithoutUnexpectedEffects(String server, int atLeast)
      throws Exception {
    var examples = examples(server);

    var effects = effects("agent", examples);

    assertThat(examples).hasSizeGreaterThan(atLeast);
    assertThat(ENDS).containsAllEntriesOf(effects);
  }

  @ParameterizedTest
  @ValueSource(strings = {"api.github.com"})
  void gitHubExamplesHaveAllExpectedEffects(String server) throws Exception {
    var due = new TreeMap<>(ENDS);
    assertThat(effects("agent", examples(server))).isEqualTo(due);
    due.putAll(LABELS);
    assertThat(effects("bug", examples(server))).isEqualTo(due);
  }

  private record Example(String event, JsonNode payload) {
    String what() {
      return event + " " + payload.path("action").asText();
    }
  }

  private static List<Example> examples(String server) throws IOException {
    var file = Emulators.program("@octokit/webhooks-examples/" + server + "/index.json");
    var all = new ArrayList<Example>();
    for (var event : JSON.readTree(Files.readString(Path.of(file.toUri())))) {
      for (var payload : event.path("examples")) {
        all.add(new Example(event.path("name").asText(), payload));
      }
    }
    return all;
  }

  /// Delivers them all.
  ///
  /// @return what was accepted, each event and action with its intent
  private static Map<String, String> effects(String label, List<Example> examples)
      throws Exception {
    var store = new Kept();
    var surface =
        GitHub.surface(
            GitHubConfigs.withToken(
                List.of(Deliveries.SECRET),
                "a-token",
                URI.create("https://api.github.example"),
                Settings.of(label, "agent")),
            new OkHttpClient(),
            InstantSource.system());
    var door =
        new WebhookEndpoint(
            store,
            Surfaces.of(List.of(surface)),
            InstantSource.system(),
            new RequestMetrics(),
            TraceRecorder.NONE);
    var server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  door.routes(config.routes, KnownPlatforms.paths(), _ -> true);
                })
            .start("127.0.0.1", 0);
    var effects = new TreeMap<String, String>();
    try (var http = HttpClient.newHttpClient()) {
      var address = URI.create("http://127.0.0.1:" + server.port() + GitHub.PATH);
      for (var at = 0; at < examples.size(); at++) {
        var example = examples.get(at);
        var before = store.accepted.size();
        var status = http.send(request(address, example, at), BodyHandlers.discarding());
        assertThat(status.statusCode()).as("%s (%d)", example.what(), at).isBetween(200, 299);
        store.accepted.stream()
            .skip(before)
            .forEach(each -> effects.put(example.what(), each.intent().getClass().getSimpleName()));
      }
    } finally {
      server.stop();
    }
    return effects;
  }

  private static HttpRequest request(URI address, Example example, int number) {
    var body = example.payload().toString().getBytes(StandardCharsets.UTF_8);
    return HttpRequest.newBuilder(address)
        .header("Content-Type", "application/json")
        .header("User-Agent", "GitHub-Hookshot/1")
        .header("X-GitHub-Event", example.event())
        .header("X-GitHub-Delivery", "00000000-0000-0000-0000-%012d".formatted(number))
        .header("X-GitHub-Hook-ID", "1")
        .header("X-Hub-Signature-256", "sha256=" + Hmac.hex(Deliveries.SECRET, body))
        .POST(BodyPublishers.ofByteArray(body))
        .build();
  }
}
