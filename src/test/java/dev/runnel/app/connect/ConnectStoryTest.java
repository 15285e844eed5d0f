package dev.runnel.app.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.Settings;
import dev.runnel.testkit.EmulateGitHub;
import dev.runnel.testkit.LocalRepository;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The guides against emulators that others wrote, and a Runnel that starts with what they kept.
@Tag("slow")
@Timeout(180)
class ConnectStoryTest {
  @TempDir private Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int connect(
      String platform,
      Map<String, String> chosen,
      Map<String, String> environment,
      Map<String, String> answers) {
    var settings =
        Settings.read(
            environment,
            Optional.empty(),
            Map.of(RunnelSettings.DATA, folder.resolve("data").toString()));
    out.reset();
    try (var network = new OkHttpNetwork(Config.of(settings).proxy())) {
      return new ConnectCommand(
              Config.of(settings),
              url -> "manifest",
              network,
              new PipedDialogue(new PrintStream(out, true, StandardCharsets.UTF_8), answers))
          .run(platform, chosen);
    }
  }

  private String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aSlackWorkspaceIsConnectedOverASocketAndServed() throws Exception {
    try (var slack =
        LocalSlack.start(LocalSlack.Transport.SOCKET, URI.create("http://127.0.0.1:9/"))) {
      var environment = Map.of("SLACK_API_URL", slack.uri() + "/api/");

      var code =
          connect(
              "slack",
              Map.of("channel", LocalSlack.CHANNEL),
              environment,
              Map.of(
                  "SLACK_BOT_TOKEN", LocalSlack.BOT_TOKEN,
                  "SLACK_APP_TOKEN", LocalSlack.APP_TOKEN));

      assertThat(output()).contains("ok      a socket from Slack", "ok      a test message");
      assertThat(code).isZero();
      assertThat(slack.messages(LocalSlack.CHANNEL))
          .anyMatch(it -> it.path("text").asText().contains("Runnel is connected."));

      try (var runnel = RunnelProcess.start(folder, RunnelProcess.freePort(), environment)) {
        await().until(() -> runnel.log().contains("Slack        on, over a socket"));
        slack.command(LocalSlack.CHANNEL, LocalSlack.ANN, "/agent", "say hello");
        await()
            .atMost(Duration.ofSeconds(30))
            .until(
                () ->
                    slack.messages(LocalSlack.CHANNEL).stream()
                        .anyMatch(it -> it.toString().contains("Finished")));
      }
    }
  }

  @Test
  void httpConnectionTestRequiresARunnelThatKnowsTheSecret() throws Exception {
    var port = RunnelProcess.freePort();
    var address = "http://127.0.0.1:" + port;
    try (var slack = LocalSlack.start(URI.create(address + "/slack/events"))) {
      var environment = Map.of("SLACK_API_URL", slack.uri() + "/api/");
      var chosen = Map.of("transport", "http", "public-url", address);
      var answers =
          Map.of(
              "SLACK_BOT_TOKEN", LocalSlack.BOT_TOKEN,
              "SLACK_SIGNING_SECRET", LocalSlack.SIGNING_SECRET);

      assertThat(connect("slack", chosen, environment, answers)).isOne();
      assertThat(output()).contains("There is no response from " + address, "Start Runnel");

      try (var _ = RunnelProcess.start(folder, port, environment)) {
        // What was entered is kept, so nothing is asked again.
        assertThat(connect("slack", Map.of(), environment, Map.of())).isZero();
        assertThat(output()).contains("ok      the connection from your address to Runnel");
      }
    }
  }

  @Test
  void aRepositoryOfGitHubGetsAWebhookAndItsPingArrives() throws Exception {
    var port = RunnelProcess.freePort();
    var address = "http://127.0.0.1:" + port;
    try (var github = EmulateGitHub.start()) {
      var environment = new HashMap<>(github.settings("not used"));
      environment.keySet().retainAll(Set.of("GITHUB_API_URL"));
      var chosen = Map.of("repository", EmulateGitHub.REPOSITORY, "public-url", address);
      var answers = Map.of("GITHUB_TOKEN", "token-of-dana");

      assertThat(connect("github", chosen, environment, answers)).isOne();
      assertThat(output())
          .contains("ok      the token: of dana", "There is no response from " + address);

      try (var runnel = RunnelProcess.start(folder, port, environment)) {
        await().until(() -> runnel.log().contains("GitHub       on"));
        var code =
            connect(
                "github", Map.of("repository", EmulateGitHub.REPOSITORY), environment, Map.of());

        assertThat(output())
            .contains("ok      the webhook: created", "ok      a delivery from GitHub: arrived");
        assertThat(code).isZero();
      }
    }
  }

  @Test
  void aLabelOnAnIssueOfTheRepositoryStartsAnAgentInItsClone() throws Exception {
    var port = RunnelProcess.freePort();
    var address = "http://127.0.0.1:" + port;
    try (var github = EmulateGitHub.start()) {
      var environment = new HashMap<>(github.settings("not used"));
      environment.keySet().retainAll(Set.of("GITHUB_API_URL"));
      LocalRepository.host(
          folder, environment.getOrDefault("GITHUB_API_URL", ""), EmulateGitHub.REPOSITORY);
      // No environment of the operator.
      Files.delete(folder.resolve("runnel.yaml"));
      var chosen = Map.of("repository", EmulateGitHub.REPOSITORY, "public-url", address);
      assertThat(connect("github", chosen, environment, Map.of("GITHUB_TOKEN", "token-of-dana")))
          .isOne();
      assertThat(output()).contains("saved   agents.environments.shop, the default for dana/shop");

      environment.put("RUNNEL_AGENT_COMMAND", "cat README.md");
      try (var _ = RunnelProcess.start(folder, port, environment)) {
        assertThat(
                connect(
                    "github",
                    Map.of("repository", EmulateGitHub.REPOSITORY),
                    environment,
                    Map.of()))
            .as(output())
            .isZero();
        assertThat(output()).contains("Agents work in a clone (environment shop)");

        var issue = github.createIssue("What is it?", "");
        github.label(issue, "agent");

        await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(
                () -> assertThat(github.comments(issue)).anyMatch(it -> it.contains("The shop")));
      }
    }
  }
}
