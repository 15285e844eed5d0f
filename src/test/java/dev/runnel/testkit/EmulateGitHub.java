package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
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
import org.jspecify.annotations.Nullable;

/// GitHub as a process: the `emulate` package from npm, which keeps issues and comments and sends
/// signed webhooks. One repository, `dana/shop`, with the labels `agent` and `bug`.
public final class EmulateGitHub implements AutoCloseable {
  public static final String REPOSITORY = "dana/shop";

  private static final String PATH = "/repos/" + REPOSITORY;
  private static final JsonMapper JSON = new JsonMapper();
  private static final MediaType TYPE = MediaType.get("application/json");
  private static final String SEED =
      """
      tokens:
        token-of-dana:
          login: dana
          scopes: [repo, user, "admin:repo_hook"]
        token-of-runnel:
          login: runnel
          scopes: [repo, user]
        token-of-stranger:
          login: stranger
          scopes: [repo, user]
      github:
        users:
          - login: dana
          - login: runnel
          - login: stranger
        repos:
          - owner: dana
            name: shop
            auto_init: true
      """;

  private final OkHttpClient http = new OkHttpClient();
  private final Process process;
  private final Path folder;
  private final int port;

  private EmulateGitHub(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  /// Starts it, with an empty repository, and waits until it answers.
  public static EmulateGitHub start() {
    var program = Emulators.program("emulate/dist/index.js");
    try {
      var folder = Files.createTempDirectory("emulate-github");
      var seed = Files.writeString(folder.resolve("seed.yaml"), SEED);
      var port = FreePort.next();
      var process =
          new ProcessBuilder(
                  List.of(
                      "node",
                      program.toString(),
                      "--service",
                      "github",
                      "--port",
                      String.valueOf(port),
                      "--seed",
                      seed.toString()))
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      var github = new EmulateGitHub(process, folder, port);
      github.prepare();
      return github;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void prepare() {
    try {
      await("emulate on " + url())
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .failFast("emulate ended", () -> !process.isAlive())
          .until(() -> call("dana", "GET", PATH, null).path("name").isTextual());
      call("dana", "POST", PATH + "/labels", Map.of("name", "agent", "color", "ededed"));
      call("dana", "POST", PATH + "/labels", Map.of("name", "bug", "color", "ededed"));
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
        "GITHUB_WEBHOOK_SECRET",
        secret,
        "GITHUB_TOKEN",
        "token-of-runnel",
        "GITHUB_API_URL",
        url().toString());
  }

  /// Sends issues, pull requests and what is said on them to the address from now on.
  public void createHook(String url, String secret) {
    call(
        "dana",
        "POST",
        PATH + "/hooks",
        Map.of(
            "name",
            "web",
            "active",
            true,
            "events",
            List.of(
                "issues",
                "issue_comment",
                "pull_request",
                "pull_request_review",
                "pull_request_review_comment"),
            "config",
            Map.of("url", url, "content_type", "json", "secret", secret)));
  }

  /// @return its number
  public int createIssue(String title, String body) {
    return call("dana", "POST", PATH + "/issues", Map.of("title", title, "body", body))
        .path("number")
        .intValue();
  }

  public void label(int issue, String name) {
    call("dana", "POST", issuePath(issue) + "/labels", Map.of("labels", List.of(name)));
  }

  public void unlabel(int issue, String name) {
    var label = URLEncoder.encode(name, StandardCharsets.UTF_8);
    call("dana", "DELETE", issuePath(issue) + "/labels/" + label, null);
  }

  public void close(int issue) {
    call("dana", "PATCH", issuePath(issue), Map.of("state", "closed"));
  }

  /// @param author `dana`, who owns the repository, or `stranger`
  /// @return its id
  public long comment(String author, int issue, String text) {
    return call(author, "POST", issuePath(issue) + "/comments", Map.of("body", text))
        .path("id")
        .longValue();
  }

  /// A pull request as it stands on GitHub.
  ///
  /// @param head the commit it ends in
  public record PullRequest(int number, URI link, String head) {}

  /// Runnel's account proposes a new file, on a branch of its own.
  public PullRequest openPullRequest(String branch, String file) {
    var main =
        call("dana", "GET", PATH + "/git/ref/heads/main", null).path("object").path("sha").asText();
    call("dana", "POST", PATH + "/git/refs", Map.of("ref", "refs/heads/" + branch, "sha", main));
    call(
        "dana",
        "PUT",
        PATH + "/contents/" + file,
        Map.of("message", "Add " + file, "content", "aGVsbG8K", "branch", branch));
    var opened =
        call(
            "runnel",
            "POST",
            PATH + "/pulls",
            Map.of("title", "Add " + file, "head", branch, "base", "main", "body", ""));
    return new PullRequest(
        opened.path("number").intValue(), URI.create(opened.path("html_url").asText()), main);
  }

  /// Says something about the first line of a file.
  public void commentOnALine(String author, PullRequest pullRequest, String file, String text) {
    call(
        author,
        "POST",
        PATH + "/pulls/" + pullRequest.number() + "/comments",
        Map.of(
            "body",
            text,
            "commit_id",
            pullRequest.head(),
            "path",
            file,
            "line",
            1,
            "side",
            "RIGHT"));
  }

  public void review(String author, PullRequest pullRequest, String text) {
    review(author, pullRequest, text, "COMMENT");
  }

  /// A review that wants the pull request changed.
  public void requestChanges(String author, PullRequest pullRequest, String text) {
    review(author, pullRequest, text, "REQUEST_CHANGES");
  }

  private void review(String author, PullRequest pullRequest, String text, String event) {
    call(
        author,
        "POST",
        PATH + "/pulls/" + pullRequest.number() + "/reviews",
        Map.of("body", text, "event", event));
  }

  public void merge(PullRequest pullRequest) {
    call("dana", "PUT", PATH + "/pulls/" + pullRequest.number() + "/merge", Map.of());
  }

  public void deleteComment(long id) {
    call("dana", "DELETE", PATH + "/issues/comments/" + id, null);
  }

  /// The texts of an issue's comments, oldest first.
  public List<String> comments(int issue) {
    return call("dana", "GET", issuePath(issue) + "/comments?per_page=100", null)
        .findValuesAsText("body");
  }

  private static String issuePath(int issue) {
    return PATH + "/issues/" + issue;
  }

  private URI url() {
    return URI.create("http://127.0.0.1:" + port);
  }

  private JsonNode call(String login, String method, String path, @Nullable Object body) {
    try {
      var json = body == null ? null : RequestBody.create(JSON.writeValueAsBytes(body), TYPE);
      var request =
          new Request.Builder()
              .url(url() + path)
              .header("Authorization", "Bearer token-of-" + login)
              .method(method, json)
              .build();
      try (var response = http.newCall(request).execute()) {
        assertThat(response.code()).as(method + " " + path).isBetween(200, 299);
        var text = response.body().bytes();
        return text.length == 0 ? JSON.nullNode() : JSON.readTree(text);
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
