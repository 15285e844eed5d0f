package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.testkit.SignedSlack;
import dev.runnel.testkit.SlackInFrontOf;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A workspace installs the app in a browser, works with it, and takes it away again.
@Tag("slow")
class SlackInstallStoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;
  private LocalSlack emulator;
  private SlackInFrontOf slack;
  private RunnelProcess runnel;

  @BeforeEach
  void open() throws Exception {
    open(Duration.ofHours(12), LocalSlack.Transport.HTTP);
  }

  private void open(Duration tokenLife, LocalSlack.Transport transport) throws Exception {
    close();
    var port = RunnelProcess.freePort();
    var app = URI.create("http://127.0.0.1:" + port);
    slack = new SlackInFrontOf(tokenLife);
    emulator = LocalSlack.start(transport, slack.uri("/slack/events"));
    slack.between(emulator.uri(), app);
    var agent = Files.writeString(folder.resolve("agent.sh"), "echo \"Fixed: $(tr '\\n' ' ')\"\n");
    var settings =
        new HashMap<>(
            transport == LocalSlack.Transport.HTTP ? slack.settings() : slack.socketSettings());
    settings.put("RUNNEL_AGENT_COMMAND", "sh '" + agent + "'");
    settings.put("RUNNEL_PUBLIC_URL", app.toString());
    runnel = RunnelProcess.start(folder, port, settings);
  }

  @AfterEach
  void close() {
    if (runnel != null) {
      runnel.close();
    }
    if (emulator != null) {
      emulator.close();
    }
    if (slack != null) {
      slack.close();
    }
  }

  /// A browser that goes to the page where the app is installed.
  ///
  /// @param authorize where it is sent
  private record Browser(URI authorize, String cookie) {}

  private Browser browser() throws Exception {
    var answer = runnel.get("/slack/install");
    assertThat(answer.statusCode()).isEqualTo(302);
    var cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie).contains("HttpOnly", "SameSite=Lax");
    return new Browser(
        URI.create(answer.headers().firstValue("Location").orElseThrow()),
        cookie.substring(0, cookie.indexOf(';')));
  }

  private HttpResponse<String> comesBack(URI to, String cookie) throws Exception {
    return runnel.send(HttpRequest.newBuilder(to).header("Cookie", cookie));
  }

  private void install() throws Exception {
    var browser = browser();
    var page = comesBack(slack.allows(browser.authorize()), browser.cookie());
    assertThat(page.body()).contains("Runnel is in Acme", "/invite @runnel");
    assertThat(page.statusCode()).isEqualTo(200);
  }

  @Test
  void installedAppWorksUntilItIsUninstalled() throws Exception {
    install();

    slack.losesAnswers(1);
    emulator.message(CHANNEL, ANN, "<@" + BOT + "> fix it");
    awaitPost("Fixed: fix it");
    // On a busy machine the retry is late, too, and there is another.
    assertThat(slack.retries()).startsWith("1");

    slack.slowsDown("chat.postMessage", Duration.ofSeconds(3));
    emulator.command(CHANNEL, ANN, "/agent", "fix another");
    awaitPost("Fixed: fix another");
    assertThat(slack.disobeyed()).isZero();

    assertThat(check()).contains("Slack        Acme (T0ACME): lacks permissions");
    nothingSecretIsSeen();

    slack.revokes();
    var answer =
        runnel.send(
            HttpRequest.newBuilder(
                new SignedSlack(LocalSlack.SIGNING_SECRET).uninstalled(URI.create(runnel.url())),
                (_, _) -> true));
    assertThat(answer.statusCode()).isEqualTo(200);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(check()).contains("no workspace yet"));

    var before = List.copyOf(slack.called());
    emulator.command(CHANNEL, ANN, "/agent", "nobody is there");
    await().atMost(PATIENCE).until(() -> runnel.metric("runnel_outbox_parked") > 0);
    assertThat(slack.called()).isEqualTo(before);

    install();
    emulator.command(CHANNEL, ANN, "/agent", "be there again");
    awaitPost("Fixed: be there again");
  }

  @Test
  void installedAppAlsoWorksOverASocket() throws Exception {
    open(Duration.ofHours(12), LocalSlack.Transport.SOCKET);
    install();

    var said = emulator.message(CHANNEL, ANN, "<@" + BOT + "> fix it");
    awaitPost("Fixed: fix it");

    slack.slowsDown("chat.postMessage", Duration.ofSeconds(3));
    emulator.reply(CHANNEL, said, ANN, "and another");
    awaitPost("Fixed: and another");
    assertThat(slack.disobeyed()).isZero();
    nothingSecretIsSeen();
  }

  @Test
  void tokenIsRenewedBeforeItExpiresAndTheThreadContinues() throws Exception {
    open(Duration.ofSeconds(8), LocalSlack.Transport.HTTP);
    install();
    emulator.command(CHANNEL, ANN, "/agent", "fix it");
    awaitPost("Fixed: fix it");

    var installed = slack.called().stream().filter("oauth.v2.access"::equals).count();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(2))
        .untilAsserted(
            () -> {
              emulator.reply(CHANNEL, thread(), ANN, "go on");
              assertThat(slack.called().stream().filter("oauth.v2.access"::equals).count())
                  .isGreaterThan(installed);
            });
    awaitPost("Fixed: go on");
    nothingSecretIsSeen();
  }

  @Test
  void cancelledRepeatedOrForeignReturnInstallsNothing() throws Exception {
    var browser = browser();
    assertThat(comesBack(slack.cancels(browser.authorize()), browser.cookie()).body())
        .contains("Nothing was installed");

    var address = slack.allows(browser.authorize());
    assertThat(comesBack(address, "runnel_slack_install=another").statusCode()).isEqualTo(400);
    assertThat(comesBack(address, browser.cookie()).statusCode()).isEqualTo(200);
    assertThat(comesBack(address, browser.cookie()).statusCode()).isEqualTo(400);
    assertThat(slack.called().stream().filter("oauth.v2.access"::equals)).hasSize(1);
  }

  private void nothingSecretIsSeen() throws IOException {
    var seen = new StringBuilder(runnel.log());
    try (var files = Files.walk(runnel.data())) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        seen.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    assertThat(slack.secrets()).hasSizeGreaterThan(2);
    slack.secrets().forEach(secret -> assertThat(seen.indexOf(secret)).isEqualTo(-1));
  }

  /// What `./runnel check` prints.
  private String check() throws Exception {
    var builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.runnel.app.Main",
                "check")
            .directory(folder.toFile())
            .redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(slack.settings());
    builder.environment().put("RUNNEL_DATA", runnel.data().toString());
    builder.environment().put("RUNNEL_PUBLIC_URL", runnel.url());
    var process = builder.start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private void awaitPost(String text) {
    await(text)
        .atMost(PATIENCE)
        .until(() -> ours().stream().anyMatch(each -> text(each).contains(text)));
  }

  private String thread() {
    return ours().getFirst().path("ts").asText();
  }

  private List<JsonNode> ours() {
    return emulator.messages(CHANNEL).stream()
        .filter(each -> each.path("user").asText().equals(BOT))
        .filter(each -> !each.hasNonNull("ephemeral_to"))
        .toList();
  }

  private static String text(JsonNode message) {
    return message.path("text").asText() + "\n" + message.path("blocks");
  }
}
