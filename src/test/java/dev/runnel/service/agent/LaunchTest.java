package dev.runnel.service.agent;

import static dev.runnel.service.RunningService.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Folders;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.wire.RunMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// With what agents are started; that they understand it is for `RealAgentsTest`.
@Tag("slow")
class LaunchTest {
  private static final String TOOLS =
      """
      {"mcp_servers": {
        "my files!": {"command": "files", "args": ["--key", "secret-1"], "env": {"A": "secret-2"}},
        "my files?": {"command": "files"},
        "web": {"url": "https://tools.test/mcp?t=secret-3", "headers": {"X": "secret \\"4\\""}},
        "old": {"url": "https://tools.test/sse"}}}
      """;
  private static final List<Harness> KNOWN =
      List.of(new ClaudeAgent(), new CodexAgent(), new GeminiAgent(), new OpencodeAgent());

  @TempDir Path folder;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void haveAHome() {
    environment.put("HOME", folder.resolve("home").toString());
  }

  @Test
  void agentArgumentsContainNeitherPromptsNorSecrets() throws IOException {
    for (var agent : KNOWN) {
      try (var launchFiles = desk(AgentAccess.WORKSPACE)) {
        var launch = agent.launch(job(TOOLS, Optional.of("its-own")), launchFiles);

        assertThat(launch.command()).as(agent.name()).noneMatch(word -> word.contains("secret"));
        assertThat(launch.input())
            .isEqualTo(
                agent instanceof ClaudeAgent
                    ? "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"secret"
                          + " prompt\"}]}}\n"
                    : "secret prompt");
        assertThat(launch.command()).anyMatch(word -> word.equals("--model=m"));
        assertThat(launch.command()).anyMatch(word -> word.endsWith("its-own"));
      }
    }
  }

  @Test
  void launchFilesArePrivateAndDeletedAtTheEnd() throws IOException {
    for (var agent : KNOWN) {
      try (var launchFiles = desk(AgentAccess.WORKSPACE)) {
        agent.launch(job(TOOLS, Optional.empty()), launchFiles);

        assertThat(files())
            .as(agent.name())
            .isNotEmpty()
            .allSatisfy(
                file ->
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------"))
            .noneMatch(file -> file.startsWith(folder.resolve("workspace")));
      }
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void claudePermissionsFollowTheAccessSetting() throws IOException {
    var careful =
        new ClaudeAgent().launch(job(TOOLS, Optional.empty()), desk(AgentAccess.WORKSPACE));
    assertThat(careful.command())
        .contains(
            "--session-id=session",
            "--permission-mode=acceptEdits",
            "--allowedTools=Bash,Edit,Write,NotebookEdit,WebFetch,WebSearch,"
                + "mcp__my_files_,mcp__my_files__2,mcp__web,mcp__old");
    assertThat(careful.environment()).isEmpty();

    var free = new ClaudeAgent().launch(job("{}", Optional.empty()), desk(AgentAccess.FULL));
    assertThat(free.command()).contains("--permission-mode=bypassPermissions");
    assertThat(free.environment()).containsEntry("IS_SANDBOX", "1");
  }

  @Test
  void claudeAsksOnlyForCallsThatTheRulesName() throws IOException {
    var rules = new PermissionRules(List.of("Bash(npm publish:*)", "mcp__web"));
    try (var launchFiles = desk(AgentAccess.FULL, rules)) {
      var launch = new ClaudeAgent().launch(job("{}", Optional.empty()), launchFiles);

      assertThat(launch.command())
          .contains(
              "--permission-prompt-tool=stdio",
              "--disallowedTools=AskUserQuestion,EnterPlanMode,ExitPlanMode");
      assertThat(read(launch, "--settings="))
          .isEqualTo("{\"permissions\":{\"ask\":[\"Bash(npm publish:*)\",\"mcp__web\"]}}");
    }
    assertThat(
            new ClaudeAgent().launch(job("{}", Optional.empty()), desk(AgentAccess.FULL)).command())
        .noneMatch(word -> word.contains("permission-prompt") || word.contains("settings"));
  }

  @Test
  void theReasoningLevelIsPassedOn() throws IOException {
    var config = "{\"harness\":{\"reasoning_level\":\"high\"}}";
    var launchFiles = desk(AgentAccess.WORKSPACE);
    assertThat(new ClaudeAgent().launch(job(config, Optional.empty()), launchFiles).command())
        .contains("--effort=high");
    assertThat(new CodexAgent().launch(job(config, Optional.empty()), launchFiles).command())
        .contains("model_reasoning_effort=\"high\"");
  }

  @Test
  void claudeFindsToolServersOfEachKind() throws IOException {
    var launch =
        new ClaudeAgent().launch(job(TOOLS, Optional.empty()), desk(AgentAccess.WORKSPACE));
    var servers = JSON.readTree(read(launch, "--mcp-config=")).get("mcpServers");

    assertThat(servers.at("/my_files_").toString())
        .isEqualTo(
            "{\"type\":\"stdio\",\"command\":\"files\",\"args\":[\"--key\",\"secret-1\"],"
                + "\"env\":{\"A\":\"secret-2\"}}");
    assertThat(servers.at("/web/type").asText()).isEqualTo("http");
    assertThat(servers.at("/old/type").asText()).isEqualTo("sse");
    assertThat(read(launch, "--append-system-prompt-file=")).isEqualTo("secret base");
  }

  @Test
  void codexSandboxAllowsCommitsAndNetworkOrIsDisabled() throws IOException {
    assertThat(
            new CodexAgent()
                .launch(job("{}", Optional.empty()), desk(AgentAccess.WORKSPACE))
                .command())
        .contains(
            "sandbox_mode=workspace-write",
            "sandbox_workspace_write.network_access=true",
            "sandbox_workspace_write.writable_roots=[\"" + folder.resolve("workspace/.git") + "\"]")
        .endsWith("-");
    assertThat(
            new CodexAgent()
                .launch(job("{}", Optional.of("t-1")), desk(AgentAccess.FULL))
                .command())
        .contains("sandbox_mode=danger-full-access")
        .endsWith("resume", "t-1", "-");
  }

  @Test
  void codexProfileIsWrittenToItsHomeFolder() throws IOException {
    environment.put("CODEX_HOME", folder.resolve("elsewhere").toString());
    new CodexAgent().launch(job(TOOLS, Optional.empty()), desk(AgentAccess.WORKSPACE));

    assertThat(Files.readString(folder.resolve("elsewhere/runnel-run.config.toml")))
        .isEqualTo(
            """
            developer_instructions = "secret base"
            [mcp_servers.my_files_]
            default_tools_approval_mode = "approve"
            command = "files"
            args = ["--key","secret-1"]
            env = { "A" = "secret-2" }
            [mcp_servers.my_files__2]
            default_tools_approval_mode = "approve"
            command = "files"
            args = []
            env = {  }
            [mcp_servers.web]
            default_tools_approval_mode = "approve"
            url = "https://tools.test/mcp?t=secret-3"
            http_headers = { "X" = "secret \\"4\\"" }
            [mcp_servers.old]
            default_tools_approval_mode = "approve"
            url = "https://tools.test/sse"
            http_headers = {  }
            """);
  }

  @Test
  void codexAppServerGetsItsConfigurationFromStandardInput() throws IOException {
    environment.put("CODEX_API_KEY", "secret-key");
    var config = TOOLS.replaceFirst("\\{", "{\"harness\": {\"reasoning_level\": \"high\"},");
    var request = job(config, Optional.of("t-1"));
    var desk = desk(AgentAccess.FULL, true);
    var launch = new CodexAgent().launch(request, desk);
    var login = JSON.readTree(launch.input().lines().toList().getLast());
    var answer = "{\"id\":%s,\"result\":{}}".formatted(login.get("id"));
    var resume = awaited(new CodexAgent().outputParser(request, desk).parse(answer));
    var thread = resume.get("params");

    assertThat(launch.command())
        .startsWith("codex", "app-server")
        .contains("sandbox_mode=danger-full-access", "cli_auth_credentials_store=ephemeral")
        .noneMatch(word -> word.contains("secret"));
    assertThat(files()).isEmpty();
    assertThat(login.get("method").asText()).isEqualTo("account/login/start");
    assertThat(login.at("/params/apiKey").asText()).isEqualTo("secret-key");
    assertThat(resume.get("method").asText()).isEqualTo("thread/resume");
    assertThat(thread.get("threadId").asText()).isEqualTo("t-1");
    assertThat(thread.get("sandbox").asText()).isEqualTo("danger-full-access");
    assertThat(thread.get("model").asText()).isEqualTo("m");
    assertThat(thread.get("developerInstructions").asText()).isEqualTo("secret base");
    assertThat(thread.at("/config/model_reasoning_effort").asText()).isEqualTo("high");
    assertThat(thread.get("config").get("mcp_servers.my_files_").toString())
        .isEqualTo(
            "{\"default_tools_approval_mode\":\"approve\",\"command\":\"files\",\"args\":[\"--key\",\"secret-1\"],\"env\":{\"A\":\"secret-2\"}}");
    assertThat(thread.get("config").get("mcp_servers.web").toString())
        .isEqualTo(
            "{\"default_tools_approval_mode\":\"approve\",\"url\":\"https://tools.test/mcp?t=secret-3\",\"http_headers\":{\"X\":\"secret"
                + " \\\"4\\\"\"}}");
  }

  private static JsonNode awaited(List<AgentEvent> events) throws IOException {
    assertThat(events).singleElement().isInstanceOf(AgentEvent.InputLine.class);
    return JSON.readTree(((AgentEvent.InputLine) events.getFirst()).line());
  }

  @Test
  void geminiHomeContainsLoginSettingsAndToolServers() throws IOException {
    var real = Files.createDirectories(folder.resolve("home/.gemini"));
    Files.writeString(real.resolve("oauth_creds.json"), "login");
    Files.writeString(
        real.resolve("settings.json"),
        "{ /* mine */ \"theme\": \"x\", \"mcpServers\": {\"own\": {\"command\": \"y\"}}, }");

    var launch =
        new GeminiAgent().launch(job(TOOLS, Optional.of("g-1")), desk(AgentAccess.WORKSPACE));

    var home = Path.of(launch.environment().get("GEMINI_CLI_HOME")).resolve(".gemini");
    assertThat(home).startsWith(folder.resolve("desk"));
    assertThat(Files.readString(home.resolve("oauth_creds.json"))).isEqualTo("login");
    assertThat(home.resolve("tmp")).isSymbolicLink();
    var settings = JSON.readTree(Files.readString(home.resolve("settings.json")));
    assertThat(settings.get("theme").asText()).isEqualTo("x");
    assertThat(settings.get("mcpServers").properties())
        .extracting(Map.Entry::getKey)
        .containsExactly("own", "my_files_", "my_files__2", "web", "old");
    assertThat(settings.at("/mcpServers/web/httpUrl").asText()).endsWith("t=secret-3");
    assertThat(settings.at("/mcpServers/old/url").asText()).endsWith("/sse");
    assertThat(launch.command()).contains("--resume=g-1");
  }

  @Test
  void geminiGetsTheBasePromptBeforeItsFirstMessage() throws IOException {
    assertThat(
            new GeminiAgent().launch(job("{}", Optional.empty()), desk(AgentAccess.FULL)).input())
        .isEqualTo("secret base\n\nsecret prompt");
    assertThat(
            new GeminiAgent().launch(job("{}", Optional.of("g")), desk(AgentAccess.FULL)).input())
        .isEqualTo("secret prompt");
  }

  @Test
  void opencodeGetsAConfigurationFileUnlessTheOperatorSetOne() throws IOException {
    var usual =
        new OpencodeAgent().launch(job(TOOLS, Optional.empty()), desk(AgentAccess.WORKSPACE));
    var config =
        JSON.readTree(Files.readString(Path.of(usual.environment().get("OPENCODE_CONFIG"))));
    assertThat(config.at("/mcp/my_files_/command").toString())
        .isEqualTo("[\"files\",\"--key\",\"secret-1\"]");
    assertThat(config.at("/mcp/web/type").asText()).isEqualTo("remote");
    assertThat(Files.readString(Path.of(config.at("/instructions/0").asText())))
        .isEqualTo("secret base");

    environment.put("OPENCODE_CONFIG", "/mine.json");
    var taken =
        new OpencodeAgent().launch(job(TOOLS, Optional.empty()), desk(AgentAccess.WORKSPACE));
    assertThat(taken.environment()).containsOnlyKeys("OPENCODE_CONFIG_CONTENT");
  }

  @Test
  void aToolServerThatOnlyThePublicServiceKnowsIsRefused() {
    var shared = "{\"mcp_servers\": {\"linear\": {\"warp_id\": \"linear\"}}}";

    assertThatThrownBy(
            () -> new ClaudeAgent().launch(job(shared, Optional.empty()), desk(AgentAccess.FULL)))
        .isInstanceOf(AgentRefused.class)
        .hasMessageStartingWith("The tool server linear is a shared server of another service");
  }

  /// What an agent may have done to the home folder of its run.
  @Nested
  class InAHomeThatTheAgentControls {
    private Path home;
    private Path outside;

    @BeforeEach
    void make() throws IOException {
      home = Files.createDirectories(folder.resolve("home"));
      outside = Files.createDirectories(folder.resolve("outside"));
    }

    @Test
    void deletionOfLaunchFilesDoesNotFollowAParentLink() throws IOException {
      for (var agent : List.of(new GeminiAgent(), new CodexAgent())) {
        var own = home.resolve("." + agent.name());
        try (var launchFiles = deskInHome()) {
          agent.launch(job(TOOLS, Optional.empty()), launchFiles);
          for (var file : names(own)) {
            Files.writeString(outside.resolve(file), "the operator's");
          }
          Files.move(own, home.resolve("moved-" + agent.name()));
          Files.createSymbolicLink(own, outside);
        }

        assertThat(names(outside)).as(agent.name()).isNotEmpty();
        Folders.delete(outside);
        Files.createDirectories(outside);
      }
    }

    @Test
    void aParentThatIsALinkIsReplacedWhenTheFilesAreWritten() throws IOException {
      for (var agent : List.of(new GeminiAgent(), new CodexAgent())) {
        Files.createSymbolicLink(home.resolve("." + agent.name()), outside);
        try (var launchFiles = deskInHome()) {
          agent.launch(job(TOOLS, Optional.empty()), launchFiles);

          assertThat(names(outside)).as(agent.name()).isEmpty();
          assertThat(names(home.resolve("." + agent.name()))).isNotEmpty();
        }
      }
    }

    @Test
    void aFolderInsteadOfAFileIsDeletedWithTheOtherFiles() throws IOException {
      try (var launchFiles = deskInHome()) {
        new GeminiAgent().launch(job(TOOLS, Optional.empty()), launchFiles);
        Files.delete(home.resolve(".gemini/settings.json"));
        Files.createDirectories(home.resolve(".gemini/settings.json/x"));
      }
      assertThat(names(home.resolve(".gemini"))).isEmpty();
    }

    @Test
    void theSettingsOfGeminiAreNotReadThroughALink() throws IOException {
      Files.writeString(outside.resolve("settings.json"), "{\"theme\": \"the operator's\"}");
      Files.createSymbolicLink(home.resolve(".gemini"), outside);

      assertThat(settingsOfGemini()).doesNotContain("the operator's");
    }

    @Test
    @Timeout(20)
    void theSettingsOfGeminiAreNotReadFromAPipe() throws IOException, InterruptedException {
      Files.createDirectories(home.resolve(".gemini"));
      var pipe = home.resolve(".gemini/settings.json").toString();
      assertThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();

      assertThat(settingsOfGemini()).contains("mcpServers");
    }

    private String settingsOfGemini() throws IOException {
      try (var launchFiles = deskInHome()) {
        new GeminiAgent().launch(job(TOOLS, Optional.empty()), launchFiles);
        return Files.readString(home.resolve(".gemini/settings.json"));
      }
    }

    private LaunchFiles deskInHome() {
      return new LaunchFiles(
          folder.resolve("desk"),
          folder.resolve("workspace"),
          environment,
          AgentAccess.WORKSPACE,
          PermissionRules.NONE,
          true,
          false);
    }

    private static List<String> names(Path folder) throws IOException {
      try (var all = Files.list(folder)) {
        return all.map(each -> each.getFileName().toString()).toList();
      }
    }
  }

  private LaunchFiles desk(AgentAccess agentAccess) {
    return desk(agentAccess, PermissionRules.NONE);
  }

  private LaunchFiles desk(AgentAccess agentAccess, PermissionRules permissionRules) {
    return desk(agentAccess, permissionRules, false);
  }

  private LaunchFiles desk(AgentAccess agentAccess, boolean isInputOpen) {
    return desk(agentAccess, PermissionRules.NONE, isInputOpen);
  }

  private LaunchFiles desk(
      AgentAccess agentAccess, PermissionRules permissionRules, boolean isInputOpen) {
    return new LaunchFiles(
        folder.resolve("desk"),
        folder.resolve("workspace"),
        environment,
        agentAccess,
        permissionRules,
        false,
        isInputOpen);
  }

  private static String read(Launch launch, String flag) throws IOException {
    var word =
        launch.command().stream().filter(each -> each.startsWith(flag)).findFirst().orElseThrow();
    return Files.readString(Path.of(word.substring(flag.length())));
  }

  private List<Path> files() throws IOException {
    try (var all = Files.walk(folder)) {
      return all.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)).toList();
    }
  }

  private static ExecutionRequest job(String config, Optional<String> session) {
    return new ExecutionRequest(
        "run",
        1,
        "secret prompt",
        "session",
        session,
        Optional.of("m"),
        Optional.of("secret base"),
        config,
        RunMode.NORMAL,
        "claim");
  }
}
