package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;

/// Linear as a process: the `emulate` package from npm, which keeps issues and comments and sends
/// signed webhooks. One team, `ENG`, with the labels `agent` and `bug`. It has no agent sessions as
/// Linear has them, no reactions, and no filters by time.
public final class EmulateLinear implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final MediaType TYPE = MediaType.get("application/json");
  private static final String SEED =
      """
      linear:
        users:
          - email: dana@example.com
            name: dana
            admin: true
          - email: runnel@example.com
            name: runnel
          - email: left@example.com
            name: left
            active: false
        teams:
          - key: ENG
            name: Engineering
            states:
              - name: Todo
                type: unstarted
              - name: Done
                type: completed
        labels:
          - id: label-agent
            name: agent
            team: ENG
          - id: label-bug
            name: bug
            team: ENG
        tokens:
          - token: token-of-dana
            user: dana@example.com
            scopes: [read, write, admin]
          - token: token-of-runnel
            user: runnel@example.com
            scopes: [read, write]
          - token: token-of-left
            user: left@example.com
            scopes: [read, write]
      """;

  private final OkHttpClient http = new OkHttpClient();
  private final Process process;
  private final Path folder;
  private final int port;

  private EmulateLinear(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  /// Starts it and waits until it answers.
  public static EmulateLinear start() {
    var program = Emulators.program("emulate/dist/index.js");
    try {
      var folder = Files.createTempDirectory("emulate-linear");
      var seed = Files.writeString(folder.resolve("seed.yaml"), SEED);
      var port = FreePort.next();
      var process =
          new ProcessBuilder(
                  List.of(
                      "node",
                      program.toString(),
                      "--service",
                      "linear",
                      "--port",
                      String.valueOf(port),
                      "--seed",
                      seed.toString()))
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      var linear = new EmulateLinear(process, folder, port);
      linear.awaitTeam();
      return linear;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitTeam() {
    try {
      await("emulate on " + url())
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .failFast("emulate ended", () -> !process.isAlive())
          .until(() -> ask("dana", "{ team(id: \"ENG\") { id } }").path("team").has("id"));
    } catch (RuntimeException notUp) {
      close();
      throw notUp;
    }
  }

  /// What Runnel needs to know of it.
  ///
  /// @param secret the one given to [#createHook(String, String)]
  public Map<String, String> settings(String secret) {
    return Map.of(
        "LINEAR_WEBHOOK_SECRET",
        secret,
        "LINEAR_TOKEN",
        "token-of-runnel",
        "LINEAR_API_URL",
        url() + "/graphql");
  }

  /// Sends issues and comments to the address from now on.
  public void createHook(String url, String secret) {
    ask(
        "dana",
        """
        mutation { webhookCreate(input: { url: "%s", secret: "%s", allPublicTeams: true,
          resourceTypes: ["Issue", "Comment"] }) { success } }
        """
            .formatted(url, secret));
  }

  /// @return its id
  public String createIssue(String title, String description) {
    return ask(
            "dana",
            """
            mutation { issueCreate(input: { teamId: "ENG", title: "%s", description: "%s" })
              { issue { id } } }
            """
                .formatted(title, description))
        .path("issueCreate")
        .path("issue")
        .path("id")
        .asText();
  }

  /// Its labels from now on, by their names.
  public void label(String issue, String... names) {
    var ids = List.of(names).stream().map(name -> "\"label-" + name + "\"").toList();
    ask(
        "dana",
        "mutation { issueUpdate(id: \"%s\", input: { labelIds: %s }) { success } }"
            .formatted(issue, ids));
  }

  public void delete(String issue) {
    ask("dana", "mutation { issueDelete(id: \"%s\") { success } }".formatted(issue));
  }

  /// @param author `dana`, or `left`, who is no longer active
  public void comment(String author, String issue, String text) {
    ask(
        author,
        "mutation { commentCreate(input: { issueId: \"%s\", body: \"%s\" }) { success } }"
            .formatted(issue, text));
  }

  /// The texts of an issue's comments, oldest first.
  public List<String> comments(String issue) {
    return ask(
            "dana",
            "{ issue(id: \"%s\") { comments(first: 100) { nodes { body } } } }".formatted(issue))
        .findValuesAsText("body");
  }

  private URI url() {
    return URI.create("http://127.0.0.1:" + port);
  }

  private JsonNode ask(String person, String query) {
    try {
      var json = JSON.createObjectNode().put("query", query);
      var request =
          new Request.Builder()
              .url(url() + "/graphql")
              .header("Authorization", "Bearer token-of-" + person)
              .post(RequestBody.create(JSON.writeValueAsBytes(json), TYPE))
              .build();
      try (var response = http.newCall(request).execute()) {
        var answer = JSON.readTree(response.body().bytes());
        assertThat(answer.path("errors").toString()).as(query).isEmpty();
        return answer.path("data");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Ends the whole process tree.
  @Override
  public void close() {
    var tree = process.descendants().toList();
    process.destroy();
    tree.forEach(ProcessHandle::destroy);
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    tree.forEach(ProcessHandle::destroyForcibly);
    for (var file : List.of("seed.yaml", "log", "")) {
      var ignored = folder.resolve(file).toFile().delete();
    }
  }
}
