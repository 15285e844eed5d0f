package dev.runnel.app.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.connect.Network.Response;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.ConnectionsFile;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.Settings;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Repository;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectCommandTest {
  private static final String SAYS_YES =
      "{\"ok\": true, \"team\": \"Acme\", \"url\": \"wss://x/\"}";

  @TempDir private Path data;
  private final ScriptedDialogue dialogue = new ScriptedDialogue();
  private final ScriptedNetwork network = new ScriptedNetwork();
  private final Map<String, String> environment = new HashMap<>();

  private int connect(String platform, Map<String, String> chosen) {
    var settings =
        Settings.read(environment, Optional.empty(), Map.of(RunnelSettings.DATA, data.toString()));
    return new ConnectCommand(Config.of(settings), url -> "manifest", network, dialogue)
        .run(platform, chosen);
  }

  private String file(String name) throws IOException {
    return Files.readString(data.resolve(name));
  }

  @Test
  void aSocketIsConnectedStepByStepAndTheNextStartUsesIt() throws Exception {
    network.answers("auth.test", SAYS_YES).answers("apps.connections.open", SAYS_YES);
    dialogue.answers("", "xoxb-1", "xapp-1", "");

    assertThat(connect("slack", Map.of())).isZero();

    assertThat(dialogue.output())
        .contains("ok      the bot token: Acme", "ok      a socket from Slack: it opens")
        .contains("Slack is connected (Acme).")
        .doesNotContain("xoxb-1", "xapp-1");
    var values =
        Config.of(
                Settings.read(
                    Map.of(), Optional.empty(), Map.of(RunnelSettings.DATA, data.toString())))
            .settings()
            .byPath();
    assertThat(values)
        .containsEntry("slack.bot_token", "xoxb-1")
        .containsEntry("slack.app_token", "xapp-1");
    assertThat(Files.getPosixFilePermissions(data.resolve(ConnectionsFile.IN_FORCE)))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(data.resolve(ConnectionsFile.UNFINISHED)).doesNotExist();
  }

  @Test
  void refusedTokenIsRequestedAgain() throws Exception {
    network
        .answers("auth.test", "{\"ok\": false, \"error\": \"invalid_auth\"}")
        .answers("auth.test", SAYS_YES)
        .answers("apps.connections.open", SAYS_YES);
    dialogue.answers("socket", "xoxb-wrong", "xoxb-right", "xapp-1", "");

    assertThat(connect("slack", Map.of())).isZero();

    assertThat(dialogue.output()).contains("Slack refuses the bot token (invalid_auth).");
    assertThat(file(ConnectionsFile.IN_FORCE)).contains("xoxb-right").doesNotContain("xoxb-wrong");
  }

  @Test
  void interruptedGuideContinuesWhereItStopped() throws Exception {
    network
        .answers("auth.test", SAYS_YES)
        .answers("auth.test", SAYS_YES)
        .answers("apps.connections.open", SAYS_YES);
    dialogue.answers("socket", "xoxb-1");
    assertThat(connect("slack", Map.of())).isOne();
    assertThat(dialogue.output()).contains("SLACK_APP_TOKEN is missing", "to continue here");
    // Half of Slack's settings would stop the next start.
    assertThat(data.resolve(ConnectionsFile.IN_FORCE)).doesNotExist();

    dialogue.answers("socket", "xapp-1", "");
    assertThat(connect("slack", Map.of())).isZero();

    assertThat(file(ConnectionsFile.IN_FORCE)).contains("xoxb-1", "xapp-1");
    assertThat(dialogue.asked()).filteredOn("SLACK_BOT_TOKEN"::equals).hasSize(1);
  }

  @Test
  void refusedTokenFromTheEnvironmentMustBeChangedThere() throws Exception {
    environment.put("SLACK_BOT_TOKEN", "xoxb-old");
    network.answers("auth.test", "{\"ok\": false, \"error\": \"token_revoked\"}");
    dialogue.answers("socket");

    assertThat(connect("slack", Map.of())).isOne();

    assertThat(dialogue.output())
        .contains("SLACK_BOT_TOKEN comes from the environment: change it there.");
  }

  @Test
  void scopesThatTheAppLacksAreNamed() {
    network.answers(
        "auth.test",
        new Response(200, SAYS_YES, Map.of("x-oauth-scopes", "commands,chat:write,users:read")));
    dialogue.answers("socket", "xoxb-1");

    assertThat(connect("slack", Map.of())).isOne();

    assertThat(dialogue.output()).contains("The app lacks scopes: app_mentions:read");
  }

  @Test
  void malformedTokenIsExplainedAndRequestedAgain() {
    network.answers("auth.test", SAYS_YES);
    dialogue.answers("socket", "xapp-1", "xoxb-1");

    assertThat(connect("slack", Map.of())).isOne();

    assertThat(dialogue.output())
        .contains("This value is not valid. A bot token begins with xoxb-.");
    assertThat(dialogue.output()).contains("ok      the bot token: Acme");
  }

  @ParameterizedTest
  @CsvSource({
    "401,Restart Runnel",
    "404,let the proxy pass this path",
    "502,check that the proxy forwards to its port",
    "302,must be Runnel's own"
  })
  void everyConnectionFailureHasARemedy(int status, String remedy) {
    network
        .answers("auth.test", SAYS_YES)
        .answers("/slack/events", new Response(status, "", Map.of()));
    dialogue.answers("", "xoxb-1", "0123456789abcdef", "");

    assertThat(
            connect("slack", Map.of("transport", "http", "public-url", "https://agents.acme.dev")))
        .isOne();

    assertThat(dialogue.output()).contains("failed  the connection from your address", remedy);
  }

  @Test
  void connectWithoutATerminalReadsAnswersFromOptionsAndInput() throws Exception {
    network.answers("auth.test", SAYS_YES).answers("apps.connections.open", SAYS_YES);
    var lines = new ByteArrayOutputStream();
    var piped =
        new PipedDialogue(
            new PrintStream(lines, true, StandardCharsets.UTF_8),
            Map.of("SLACK_BOT_TOKEN", "xoxb-1", "SLACK_APP_TOKEN", "xapp-1"));
    var settings =
        Settings.read(Map.of(), Optional.empty(), Map.of(RunnelSettings.DATA, data.toString()));

    assertThat(
            new ConnectCommand(Config.of(settings), url -> "manifest", network, piped)
                .run("slack", Map.of("transport", "socket")))
        .isZero();
    assertThat(file(ConnectionsFile.IN_FORCE)).contains("xoxb-1", "xapp-1");
  }

  @Test
  void connectWithoutATerminalNamesAMissingAnswer() {
    var lines = new ByteArrayOutputStream();
    var piped = new PipedDialogue(new PrintStream(lines, true, StandardCharsets.UTF_8), Map.of());
    var settings =
        Settings.read(Map.of(), Optional.empty(), Map.of(RunnelSettings.DATA, data.toString()));
    var command = new ConnectCommand(Config.of(settings), url -> "manifest", network, piped);

    assertThat(command.run("slack", Map.of())).isOne();
    assertThat(command.run("github", Map.of())).isOne();

    assertThat(lines.toString(StandardCharsets.UTF_8))
        .contains("Add SLACK_BOT_TOKEN=VALUE to the standard input.")
        .contains("Add --repository VALUE.");
  }

  @Test
  void gitHubWebhookGetsANewSecretAndItsDeliveryIsVerified() throws Exception {
    network
        .answers("GET /user", "{\"login\": \"runnel-bot\"}")
        .answers("GET /repos/acme/shop", "{}")
        .answers("POST /webhooks/github", "")
        .answers("GET /repos/acme/shop/hooks", "[]")
        .answers("POST /repos/acme/shop/hooks", new Response(201, "{\"id\": 7}", Map.of()))
        .answers("GET /repos/acme/shop/hooks/7/deliveries", "[]")
        .answers("POST /repos/acme/shop/hooks/7/pings", new Response(204, "", Map.of()))
        .answers("GET /repos/acme/shop/hooks/7/deliveries", "[]")
        .answers(
            "GET /repos/acme/shop/hooks/7/deliveries",
            "[{\"id\": 1, \"event\": \"ping\", \"status_code\": 200}]");
    dialogue.answers("acme/shop", "no", "ghp_1", "https://agents.acme.dev/", "");

    assertThat(connect("github", Map.of())).isZero();

    assertThat(dialogue.output())
        .contains("ok      the token: of runnel-bot", "ok      a delivery from GitHub: arrived");
    assertThat(file(ConnectionsFile.IN_FORCE)).contains("hooks: \"acme/shop/7\"", "ghp_1");
    var made = network.bodyOf("POST /repos/acme/shop/hooks");
    assertThat(made).contains("https://agents.acme.dev/webhooks/github", "check_suite");
    assertThat(made).containsPattern("\"secret\":\"[0-9a-f]{64}\"");
    assertThat(network.waited).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void missingWebhookPermissionIsExplainedWithAlternatives() {
    network
        .answers("GET /user", "{\"login\": \"runnel-bot\"}")
        .answers("GET /repos/acme/shop", "{}")
        .answers("POST /webhooks/github", "")
        .answers("GET /repos/acme/shop/hooks", new Response(403, "{}", Map.of()));
    dialogue.answers("acme/shop", "no", "ghp_1", "https://agents.acme.dev", "");

    assertThat(connect("github", Map.of())).isOne();

    assertThat(dialogue.output()).contains("Webhooks: read and write", "payload URL");
  }

  @Test
  void webhookThatGitHubCannotReachIsReportedWithARemedy() {
    network
        .answers("GET /user", "{\"login\": \"runnel-bot\"}")
        .answers("GET /orgs/acme", "{}")
        .answers("POST /webhooks/github", "")
        .answers(
            "GET /orgs/acme/hooks",
            "[{\"id\": 7, \"config\": {\"url\": \"https://agents.acme.dev/webhooks/github\"}}]")
        .answers("PATCH /orgs/acme/hooks/7", "{\"id\": 7}")
        .answers("GET /orgs/acme/hooks/7/deliveries", "[]")
        .answers("POST /orgs/acme/hooks/7/pings", new Response(204, "", Map.of()))
        .answers(
            "GET /orgs/acme/hooks/7/deliveries",
            "[{\"id\": 2, \"event\": \"ping\", \"status_code\": 0}]");
    dialogue.answers("acme", "ghp_1", "https://agents.acme.dev", "");

    assertThat(connect("github", Map.of())).isOne();

    assertThat(dialogue.output()).contains("ok      the webhook: updated", "open the firewall");
  }

  /// GitHub answers all steps once more.
  private void gitHubWorks(String repository) {
    gitHubWorks(repository, new Response(200, "[]", Map.of()));
  }

  private void gitHubWorks(String repository, Response branches) {
    var path = "GET /repos/" + repository;
    var address = "https://agents.acme.dev/webhooks/github";
    network
        .answers("GET /user", "{\"login\": \"runnel-bot\"}")
        .answers(
            path,
            "{\"full_name\": \"%s\", \"permissions\": {\"push\": false}}".formatted(repository))
        .answers(path + "/branches", branches)
        .answers("POST /webhooks/github", "")
        .answers(path + "/hooks", "[{\"id\": 7, \"config\": {\"url\": \"%s\"}}]".formatted(address))
        .answers("PATCH /repos/" + repository + "/hooks/7", "{\"id\": 7}")
        .answers(path + "/hooks/7/deliveries", "[]")
        .answers("POST /repos/" + repository + "/hooks/7/pings", new Response(204, "", Map.of()))
        .answers(
            path + "/hooks/7/deliveries",
            "[{\"id\": 1, \"event\": \"ping\", \"status_code\": 200}]");
  }

  /// The settings of the next start.
  private Settings settings(String... file) throws IOException {
    var path = data.resolve("runnel.yaml");
    if (file.length > 0) {
      Files.writeString(path, file[0]);
    }
    return Settings.read(
        environment,
        Optional.of(path).filter(Files::exists),
        Map.of(RunnelSettings.DATA, data.toString()));
  }

  private int connectGitHub(Settings settings, Map<String, String> options) {
    var chosen = new HashMap<>(options);
    chosen.putIfAbsent("repository", "acme/shop");
    chosen.put("public-url", "https://agents.acme.dev");
    return new ConnectCommand(Config.of(settings), url -> "manifest", network, dialogue)
        .run("github", chosen);
  }

  private String defaultEnvironment(String place) throws IOException {
    return settings().defaults().configured().getOrDefault(place, Map.of()).getOrDefault("env", "");
  }

  @Test
  void agentsWorkInACloneOfTheConnectedRepository() throws Exception {
    gitHubWorks("acme/shop");
    dialogue.answers("", "", "ghp_1", "");

    assertThat(connectGitHub(settings(), Map.of())).isZero();

    assertThat(dialogue.output())
        .contains("ok      the repository's contents: the token may read them\n")
        .contains("saved   agents.environments.shop, the default for acme/shop")
        .contains("Agents work in a clone (environment shop), and may not push.");
    var environment = settings().environments().find("shop").orElseThrow();
    assertThat(environment.repositories())
        .containsExactly(
            Repository.of(
                "https://github.com/acme/shop.git",
                Optional.empty(),
                Optional.empty(),
                Optional.of("GITHUB_TOKEN")));
    assertThat(settings().environments().variableValues()).containsEntry("GITHUB_TOKEN", "ghp_1");
    assertThat(defaultEnvironment("github:acme/shop")).isEqualTo("shop");
    assertThat(Files.getPosixFilePermissions(data.resolve(ConnectionsFile.IN_FORCE)))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void repeatedConnectKeepsAnswersUnlessOptionsChangeThem() throws Exception {
    gitHubWorks("acme/shop");
    dialogue.answers("yes", "yes", "ghp_1", "");
    assertThat(connectGitHub(settings(), Map.of())).isZero();
    assertThat(dialogue.output()).contains("but its account may not push");
    var file = file(ConnectionsFile.IN_FORCE);
    assertThat(file).contains("push: true");

    gitHubWorks("acme/shop");
    dialogue.answers("");
    assertThat(connectGitHub(settings(), Map.of())).isZero();
    assertThat(file(ConnectionsFile.IN_FORCE)).isEqualTo(file);
    assertThat(dialogue.asked()).filteredOn("clone"::equals).hasSize(1);

    gitHubWorks("acme/shop");
    dialogue.answers("");
    assertThat(connectGitHub(settings(), Map.of("push", "no"))).isZero();
    assertThat(settings().environments().all())
        .singleElement()
        .satisfies(it -> assertThat(it.repositories().getFirst().push()).isFalse());

    gitHubWorks("acme/shop");
    dialogue.answers("");
    assertThat(connectGitHub(settings(), Map.of("clone", "no"))).isZero();
    assertThat(settings().environments().all()).isEmpty();
    assertThat(defaultEnvironment("github:acme/shop")).isEmpty();

    gitHubWorks("acme/shop");
    dialogue.answers("");
    assertThat(connectGitHub(settings(), Map.of())).isZero();
    assertThat(settings().environments().all()).isEmpty();
    assertThat(dialogue.asked()).filteredOn("clone"::equals).hasSize(1);
  }

  @Test
  void duplicateEnvironmentNameGetsTheOwnerAsPrefix() throws Exception {
    gitHubWorks("acme/shop");
    gitHubWorks("labs/shop");
    gitHubWorks("acme/.github");
    var own = "agents: {environments: {shop: {setup_commands: [make]}}}";
    dialogue.answers("", "", "ghp_1", "");
    assertThat(connectGitHub(settings(own), Map.of())).isZero();
    dialogue.answers("", "", "");
    assertThat(connectGitHub(settings(), Map.of("repository", "labs/shop"))).isZero();
    dialogue.answers("", "", "");
    assertThat(connectGitHub(settings(), Map.of("repository", "acme/.github"))).isZero();

    assertThat(settings().environments().all())
        .extracting(Environment::uid)
        .containsExactlyInAnyOrder("shop", "acme-shop", "labs-shop", "github");
    assertThat(defaultEnvironment("github:acme/shop")).isEqualTo("acme-shop");
    assertThat(defaultEnvironment("github:labs/shop")).isEqualTo("labs-shop");
    assertThat(defaultEnvironment("github:acme/.github")).isEqualTo("github");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "agents: {default_environment: web, environments: {web: {}}} | It does not contain",
        "defaults: {'github:acme': {environment: web}} | choose the environment web",
        "{profiles: {p: {environment: web}}, defaults: {github: {profile: p}}} | environment web",
        "agents: {environments: {web: {repositories: [Acme/Shop]}}} | github:acme/shop",
        "agents: {environments: {web: {repositories: ['git@github.com:acme/shop']}}} | in the"
            + " environment web"
      })
  void environmentOfTheOperatorIsNotChanged(String file, String told) throws Exception {
    gitHubWorks("acme/shop");
    dialogue.answers("ghp_1", "");

    assertThat(connectGitHub(settings(file), Map.of("clone", "yes"))).isZero();

    assertThat(dialogue.output()).contains(told, "Nothing is changed.");
    assertThat(file(ConnectionsFile.IN_FORCE)).doesNotContain("environments", "defaults");
  }

  @Test
  void sameNamedRepositoryOnAnotherHostIsNotReused() throws Exception {
    gitHubWorks("acme/shop");
    dialogue.answers("", "", "ghp_1", "");
    var file = "agents: {environments: {web: {repositories: ['https://git.dev/acme/shop.git']}}}";

    assertThat(connectGitHub(settings(file), Map.of())).isZero();

    assertThat(defaultEnvironment("github:acme/shop")).isEqualTo("shop");
  }

  @Test
  void connectContinuesWithoutAnEnvironmentIfContentsAreForbidden() throws Exception {
    gitHubWorks("acme/shop", new Response(403, "{}", Map.of()));
    dialogue.answers("", "yes", "ghp_1", "");

    assertThat(connectGitHub(settings(), Map.of())).isZero();

    assertThat(dialogue.output())
        .contains("skipped the repository's contents", "(status 403)")
        .contains("Contents: read and write.", "GitHub is connected (acme/shop).");
    assertThat(file(ConnectionsFile.IN_FORCE)).doesNotContain("environments", "defaults");
  }

  @Test
  void anotherRepositoryAfterAFailureRequiresNewAnswers() throws Exception {
    network
        .answers("GET /user", "{\"login\": \"runnel-bot\"}")
        .answers("GET /repos/acme/shp", new Response(404, "{}", Map.of()));
    gitHubWorks("acme/shop");
    dialogue.answers("", "yes", "ghp_1", "acme/shop", "", "", "ghp_1", "");

    assertThat(connectGitHub(settings(), Map.of("repository", "acme/shp"))).isZero();

    assertThat(file(ConnectionsFile.IN_FORCE)).contains("push: false").doesNotContain("shp");
  }

  @Test
  void cloneAddressIsThatOfTheEnterpriseServer() throws Exception {
    environment.put("GITHUB_API_URL", "https://github.example.com/api/v3");
    gitHubWorks("acme/shop");
    dialogue.answers("", "", "ghp_1", "");

    assertThat(connectGitHub(settings(), Map.of())).isZero();

    assertThat(file(ConnectionsFile.IN_FORCE))
        .contains("url: \"https://github.example.com/acme/shop.git\"");
  }

  @Test
  void connectWithoutATerminalDoesNotPermitPushes() throws Exception {
    gitHubWorks("acme/shop");
    var lines = new ByteArrayOutputStream();
    var piped =
        new PipedDialogue(
            new PrintStream(lines, true, StandardCharsets.UTF_8), Map.of("GITHUB_TOKEN", "ghp_1"));

    assertThat(
            new ConnectCommand(Config.of(settings()), url -> "manifest", network, piped)
                .run(
                    "github",
                    Map.of("repository", "acme/shop", "public-url", "https://agents.acme.dev")))
        .isZero();

    assertThat(file(ConnectionsFile.IN_FORCE)).contains("push: false");
    assertThat(lines.toString(StandardCharsets.UTF_8)).doesNotContain("ghp_1");
  }

  /// A person who answers in order, and then leaves.
  private static final class ScriptedDialogue implements Dialogue {
    private final Deque<String> answers = new ArrayDeque<>();
    private final List<String> lines = new ArrayList<>();
    private final List<String> questions = new ArrayList<>();

    void answers(String... words) {
      answers.clear();
      answers.addAll(List.of(words));
    }

    String output() {
      return String.join("\n", lines);
    }

    List<String> asked() {
      return questions;
    }

    @Override
    public void print(String line) {
      lines.add(line);
    }

    @Override
    public Optional<String> ask(Step.Ask question) {
      if (answers.isEmpty()) {
        return Optional.empty();
      }
      questions.add(question.name());
      return Optional.of(answers.remove());
    }

    @Override
    public boolean shouldRetry() {
      return false;
    }

    @Override
    public boolean isInteractive() {
      return true;
    }
  }

  /// Answers in order for each path, whose end decides.
  private static final class ScriptedNetwork implements Network {
    private final Map<String, Deque<Response>> answers = new HashMap<>();
    private final Map<String, String> bodies = new HashMap<>();
    private Duration waited = Duration.ZERO;

    ScriptedNetwork answers(String path, String body) {
      return answers(path, new Response(200, body, Map.of()));
    }

    ScriptedNetwork answers(String path, Response answer) {
      answers.computeIfAbsent(path, _ -> new ArrayDeque<>()).add(answer);
      return this;
    }

    String bodyOf(String path) {
      return bodies.getOrDefault(path, "");
    }

    @Override
    public Response call(Request call) throws IOException {
      var path = call.method() + " " + call.uri().getPath().replaceFirst("^/api/v3", "");
      var key =
          answers.keySet().stream()
              .filter(path::endsWith)
              .findFirst()
              .orElseThrow(() -> new IOException("refused " + path));
      bodies.put(path, call.body());
      var left = answers.getOrDefault(key, new ArrayDeque<>());
      if (left.isEmpty()) {
        throw new IOException("refused " + path);
      }
      return left.remove();
    }

    @Override
    public String firstMessage(URI socket) {
      return "{\"type\":\"hello\"}";
    }

    @Override
    public void pause(Duration time) {
      waited = waited.plus(time);
    }

    @Override
    public Instant now() {
      return Instant.parse("2026-11-23T10:00:00Z");
    }
  }
}
