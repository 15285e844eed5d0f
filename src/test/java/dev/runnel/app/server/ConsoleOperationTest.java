package dev.runnel.app.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.Main;
import dev.runnel.testkit.RunnelProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The pages of operators, of a Runnel with settings of all kinds.
@Tag("slow")
@Timeout(120)
class ConsoleOperationTest {
  private static final String TOKEN = "a-token-of-the-console";
  private static final String KEY = "rk-the-key-of-the-service";

  @TempDir Path folder;

  private void settings(String more) throws Exception {
    Files.writeString(
        folder.resolve("runnel.yaml"),
        """
        %s
        admins: [slack:U1]
        slack:
          signing_secret: ${MY_SLACK_SECRET}
          bot_token: xoxb-0123456789-abcdefghij
        agents:
          slots: 2
          environments:
            web: {repositories: [acme/shop], docker_image: "node:22", variables: [NPM_TOKEN]}
        hooks:
          forms:
            proof: {kind: bearer, secret: a-secret-of-the-hook}
            template: "Do {/n}"
        policy:
          installations: {slack: [T1]}
          rules:
            - {who: "slack:U1", where: any, may: all}
        """
            .formatted(more));
  }

  private static String page(RunnelProcess runnel, String path) throws Exception {
    try (var client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create(runnel.url() + path))
                  .header("Authorization", "Bearer " + TOKEN)
                  .build(),
              BodyHandlers.ofString())
          .body();
    }
  }

  private static void post(
      RunnelProcess runnel, String path, String contentType, String key, String body)
      throws Exception {
    var answer =
        runnel.send(
            HttpRequest.newBuilder(URI.create(runnel.url() + path))
                .header("Authorization", "Bearer " + key)
                .header("Content-Type", contentType)
                .POST(BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 399);
  }

  @Test
  void operationPagesShowTheConfigurationAndChangeIt() throws Exception {
    settings("mention: bot");
    try (var runnel =
        RunnelProcess.start(
            folder,
            RunnelProcess.freePort(),
            Map.of(
                "RUNNEL_AGENT_COMMAND", "echo done",
                "RUNNEL_AGENTS_ISOLATION", "none",
                "RUNNEL_CONSOLE_TOKEN", TOKEN,
                "RUNNEL_AGENT_API_KEY", KEY,
                "MY_SLACK_SECRET", "a-secret-of-slack-itself",
                "NPM_TOKEN", "a-token-of-npm"))) {
      runnel.get("/slack/events");
      runnel.send(
          HttpRequest.newBuilder(URI.create(runnel.url() + "/slack/events"))
              .POST(BodyPublishers.ofString("{}")));
      post(
          runnel,
          "/api/v1/agent/schedules",
          "application/json",
          KEY,
          "{\"name\":\"Nightly\",\"cron_schedule\":\"30 2 * * *\",\"prompt\":\"Look\"}");
      post(runnel, "/api/v1/agent/keys", "application/json", KEY, "{\"name\":\"grafana\"}");

      assertThat(page(runnel, "/operation"))
          .containsPattern(
              "Slack</th><td>on[^<]*</td><td data-label=\"Last request\">none"
                  + " yet</td><td[^>]*><time")
          .contains("0 of 2", "this machine, alone", "Database");
      assertThat(page(runnel, "/operation/agents"))
          .contains("web", "https://github.com/acme/shop.git", "node:22", "NPM_TOKEN", "Nightly")
          .contains("grafana");
      assertThat(page(runnel, "/operation/settings"))
          .containsSubsequence("slack.signing_secret", "set, not shown", "runnel.yaml")
          .containsSubsequence("console.token", "set, not shown", "the environment")
          .containsSubsequence("agents.isolation", "none", "the environment")
          .containsSubsequence("hooks.forms.proof.secret", "set, not shown")
          .doesNotContain(TOKEN, KEY, "xoxb-0123456789", "a-secret-of", "a-token-of-npm");
      assertThat(page(runnel, "/operation/policy?who=slack:T1/U1&verb=start&where=console"))
          .contains("permitted policy.rules[0]");

      settings("mention: agent");
      var printed = new ByteArrayOutputStream();
      var exit =
          new Main(
                  new PrintStream(printed),
                  new PrintStream(printed),
                  Map.of("MY_SLACK_SECRET", "a-secret-of-slack-itself", "NPM_TOKEN", "a-token"))
              .run(
                  List.of(
                      "reload",
                      "--data",
                      runnel.data().toString(),
                      "--config",
                      folder.resolve("runnel.yaml").toString()));
      assertThat(exit).as("%s", printed).isZero();
      assertThat(page(runnel, "/operation/settings"))
          .containsSubsequence("mention", "bot", "a restart applies it");

      var agents = page(runnel, "/operation/agents");
      var key = find("name=\"page\" value=\"([^\"]+)\"", agents);
      var schedule =
          find("name=\"id\" value=\"([^\"]+)\"><button name=\"action\" value=\"pause\"", agents);
      post(
          runnel,
          "/operation/agents",
          "application/x-www-form-urlencoded",
          TOKEN,
          "page=%s&action=pause&id=%s".formatted(key, schedule));
      assertThat(page(runnel, "/operation/agents")).contains("value=\"resume\"");
    }
  }

  private static String find(String pattern, String text) {
    var found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as(pattern).isTrue();
    return found.group(1);
  }

  @Test
  void aPasswordInAnAddressIsNotShown() {
    assertThat(
            ConsoleOperation.withoutPasswords("jdbc:postgresql://db/x?user=me&password=pw&ssl=1"))
        .isEqualTo("jdbc:postgresql://db/x?user=me&password=(redacted)&ssl=1");
    assertThat(ConsoleOperation.withoutPasswords("https://me:pw@git.example/x.git"))
        .isEqualTo("https://me:(redacted)@git.example/x.git");
    assertThat(ConsoleOperation.withoutPasswords("https://git.example/x.git"))
        .isEqualTo("https://git.example/x.git");
  }
}
