package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.runnel.app.server.Platforms;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Settings;
import dev.runnel.client.RunsClient;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.SignInProvider;
import dev.runnel.runs.ClientAgentRuns;
import dev.runnel.signin.OpenIdSignIn;
import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.receive.SlackSocket;
import dev.runnel.testkit.LoginProxy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// All of Runnel's clients log in at the proxy of a company, and say so if it refuses the login.
/// The proxy of these tests leads nowhere.
@Timeout(60)
class ProxyLoginTest {
  private static final String WRONG_PASSWORD = "wrong-passw0rd";

  @TempDir Path folder;
  private LoginProxy proxy;

  @BeforeEach
  void listen() throws IOException {
    proxy = new LoginProxy();
  }

  @AfterEach
  void close() {
    proxy.close();
  }

  private Map<String, String> environment(String proxyUrl) {
    var environment = new HashMap<String, String>();
    environment.put("HTTPS_PROXY", proxyUrl);
    environment.put("RUNNEL_DATA", folder.resolve("data").toString());
    environment.put("RUNNEL_AGENT_API_URL", "https://runs.example.com/api/v1");
    environment.put("RUNNEL_AGENT_API_KEY", "0123456789abcdef");
    environment.put("SLACK_BOT_TOKEN", "xoxb-1");
    environment.put("SLACK_APP_TOKEN", "xapp-1");
    environment.put("GITHUB_TOKEN", "ghp_1");
    environment.put("GITHUB_WEBHOOK_SECRET", "0123456789abcdef");
    environment.put("LINEAR_TOKEN", "lin_api_1");
    environment.put("LINEAR_WEBHOOK_SECRET", "0123456789abcdef");
    return environment;
  }

  private String wrong() {
    return "http://%s:%s@%s".formatted(LoginProxy.USER, WRONG_PASSWORD, proxy.name());
  }

  private String refusal() {
    return "the proxy %s refuses the login (407): correct the user and the password in HTTPS_PROXY"
        .formatted(proxy.name());
  }

  private String output(Map<String, String> environment, String... words) {
    var out = new ByteArrayOutputStream();
    var print = new PrintStream(out, true, StandardCharsets.UTF_8);
    new Main(print, print, environment).run(List.of(words));
    return out.toString(StandardCharsets.UTF_8);
  }

  private Platforms platforms(String proxyUrl) {
    return Platforms.of(
        Settings.read(environment(proxyUrl), Optional.empty(), Map.of()),
        InstantSource.system(),
        URI.create("https://runnel.example.com"),
        () -> {
          throw new IllegalStateException("No database is needed");
        });
  }

  @Test
  void checkReachesAllServicesWithTheProxyLogin() {
    output(environment(proxy.url()), "check");

    assertThat(proxy.opened)
        .contains(
            "runs.example.com:443", "slack.com:443", "api.github.com:443", "api.linear.app:443");
    assertThat(proxy.refused).isEmpty();
  }

  @Test
  void checkReportsTheRefusedProxyLoginAndTheSettingToCorrect() {
    var output = output(environment(wrong()), "check");

    assertThat(output.lines().filter(it -> it.contains(refusal())).map(it -> it.split(" +", 2)[0]))
        .containsExactlyInAnyOrder("Agent", "Slack", "GitHub", "Linear");
    assertThat(output).doesNotContain(WRONG_PASSWORD);
    assertThat(proxy.opened).isEmpty();
  }

  @Test
  void connectReportsTheRefusedProxyLogin() {
    var in = System.in;
    System.setIn(
        new ByteArrayInputStream(
            "SLACK_APP_TOKEN=xapp-1-A-1\nSLACK_BOT_TOKEN=xoxb-1\n"
                .getBytes(StandardCharsets.UTF_8)));
    try {
      var environment =
          Map.of("HTTPS_PROXY", wrong(), "RUNNEL_DATA", folder.resolve("data").toString());
      assertThat(output(environment, "connect", "slack", "--transport", "socket"))
          .contains(refusal())
          .doesNotContain(WRONG_PASSWORD);
    } finally {
      System.setIn(in);
    }
  }

  @Test
  void runCommandsReportTheRefusedProxyLogin() {
    assertThat(output(environment(wrong()), "run", "list")).contains(refusal());
  }

  @Test
  void refusedProxyLoginMakesTheRunServiceUnavailable() {
    var config = Config.of(Settings.read(environment(wrong()), Optional.empty(), Map.of()));
    try (var client =
        RunsClient.builder()
            .baseUrl(config.agentApi().orElseThrow())
            .apiKey("0123456789abcdef")
            .http(config.proxy()::apply)
            .maxRetries(0)
            .build()) {
      assertThat(new ClientAgentRuns(client, false).find(new RunId("1")).toString())
          .contains("Unavailable", refusal());
    }
  }

  @Test
  void slackSocketUsesTheProxyLogin() {
    try (var platforms = platforms(proxy.url());
        var socket = socket(platforms.http())) {
      socket.start();
      await().until(() -> proxy.opened.contains("wss-primary.slack.com:443"));
    }
    try (var platforms = platforms(wrong());
        var socket = socket(platforms.http())) {
      socket.start();
      await().until(() -> socket.problem().filter(it -> it.contains(refusal())).isPresent());
    }
  }

  private static SlackSocket socket(OkHttpClient http) {
    return new SlackSocket(
        () -> new SlackResponse.Ok<>("wss://wss-primary.slack.com/link?ticket=1"),
        _ -> {
          throw new IllegalStateException("Nothing arrives");
        },
        http,
        InstantSource.system(),
        RandomGenerator.getDefault(),
        SlackSocket.Timeouts.DEFAULT);
  }

  @Test
  void slackFilesAreUploadedThroughTheProxy() {
    var slack =
        SlackConfig.from(Map.of("SLACK_BOT_TOKEN", "xoxb-1", "SLACK_APP_TOKEN", "xapp-1"))
            .orElseThrow();
    try (var platforms = platforms(wrong())) {
      assertThat(
              new FileTransfer(slack, platforms.http())
                  .send("https://files.slack.com/upload", new byte[1]))
          .asString()
          .contains(refusal());
    }
  }

  @Test
  void signInUsesTheProxy() {
    try (var platforms = platforms(wrong())) {
      var provider =
          OpenIdSignIn.generic(
              URI.create("https://login.example.com"),
              "id",
              "secret",
              platforms.http(),
              InstantSource.system());

      assertThatThrownBy(
              () ->
                  provider.authorization(
                      "s",
                      new SignInProvider.Exchange(
                          "n".repeat(43), "v".repeat(43), URI.create("https://x"))))
          .hasMessage("login.example.com did not answer: " + refusal());
    }
  }
}
