package dev.runnel.service.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.Usage;
import dev.runnel.wire.ModelProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Gemini CLI with `stream-json` output.
record GeminiAgent() implements Harness {
  private static final String HOME = "GEMINI_CLI_HOME";
  private static final String SETTINGS = "settings.json";
  private static final JsonMapper WITH_COMMENTS =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS, JsonReadFeature.ALLOW_TRAILING_COMMA)
          .build();

  @Override
  public String name() {
    return "gemini";
  }

  @Override
  public Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles)
      throws IOException {
    // Nobody can answer permission prompts, and Gemini CLI has no mode between prompting and
    // allowing everything.
    var command = new ArrayList<>(List.of("gemini", "--yolo", "--skip-trust", "-o", "stream-json"));
    executionRequest.modelId().ifPresent(model -> command.add("--model=" + model));
    executionRequest
        .agentSession()
        .map(session -> "--resume=" + session)
        .or(() -> executionRequest.newSession().map(session -> "--session-id=" + session))
        .ifPresent(command::add);
    launchFiles.attached().ifPresent(folder -> command.add("--include-directories=" + folder));
    return new Launch(
        command, input(executionRequest), tools(ToolServer.of(executionRequest), launchFiles));
  }

  /// The system prompt can only be replaced as a whole, so a base prompt is prepended to the first
  /// message.
  private static String input(ExecutionRequest executionRequest) {
    return executionRequest.agentSession().isEmpty() && executionRequest.basePrompt().isPresent()
        ? executionRequest.basePrompt().get() + "\n\n" + executionRequest.prompt()
        : executionRequest.prompt();
  }

  /// Gemini CLI reads tool servers from the settings in its home folder, or in the workspace, where
  /// they would be committed. So without a home folder of the run it gets one that links to the
  /// real one except for the settings, to which the tool servers are added.
  private static Map<String, String> tools(List<ToolServer> servers, LaunchFiles launchFiles)
      throws IOException {
    if (servers.isEmpty()) {
      return Map.of();
    }
    var real = real(launchFiles);
    if (launchFiles.isHomeOfRun()) {
      launchFiles.write(real, SETTINGS, settings(real.resolve(SETTINGS), servers, launchFiles));
      return Map.of();
    }
    var home = launchFiles.folder().resolve("gemini");
    var settings = home.resolve(".gemini");
    // They hold the sessions, and must exist before the first one to be linked.
    for (var folder : List.of("tmp", "history")) {
      Files.createDirectories(real.resolve(folder));
    }
    try (var entries = Files.list(real)) {
      for (var entry : entries.toList()) {
        var name = entry.getFileName().toString();
        if (!name.equals(SETTINGS)) {
          launchFiles.link(settings, name, entry);
        }
      }
    }
    launchFiles.write(settings, SETTINGS, settings(real.resolve(SETTINGS), servers, launchFiles));
    return Map.of(HOME, home.toString());
  }

  @Override
  public List<String> variables() {
    return List.of(
        "GEMINI_*",
        "GOOGLE_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_*",
        "GOOGLE_GEMINI_*",
        "GOOGLE_GENAI_*");
  }

  @Override
  public List<Path> readable(LaunchFiles launchFiles) {
    return launchFiles.withFiles(List.of("GOOGLE_APPLICATION_CREDENTIALS"));
  }

  @Override
  public List<LoginFile> logins(Map<String, String> operator) {
    var home =
        Optional.ofNullable(operator.get(HOME)).or(() -> Optional.ofNullable(operator.get("HOME")));
    var own =
        LoginFile.in(
            home.map(it -> Map.of("HOME", it)).orElse(Map.of()),
            HOME,
            ".gemini",
            SETTINGS,
            ".env",
            "GEMINI.md",
            "google_accounts.json",
            "installation_id",
            "oauth_creds.json");
    return Stream.concat(
            own.stream(),
            LoginFile.in(
                operator,
                "CLOUDSDK_CONFIG",
                ".config/gcloud",
                "application_default_credentials.json")
                .stream())
        .toList();
  }

  @Override
  public List<String> sessions() {
    return List.of(".gemini/tmp", ".gemini/history");
  }

  @Override
  public List<String> movingVariables() {
    return List.of(HOME);
  }

  private static Path real(LaunchFiles launchFiles) {
    return launchFiles.variable(HOME).map(Path::of).orElse(launchFiles.home()).resolve(".gemini");
  }

  private static String settings(Path real, List<ToolServer> servers, LaunchFiles launchFiles)
      throws IOException {
    var settings = ServiceJson.newObject();
    var text = launchFiles.read(real);
    if (text.isPresent()) {
      try {
        if (WITH_COMMENTS.readTree(text.get()) instanceof ObjectNode known) {
          settings = known;
        }
      } catch (JsonProcessingException _) {
        throw new AgentRefused("The settings of gemini cannot be read: " + real);
      }
    }
    var all = settings.withObjectProperty("mcpServers");
    for (var server : servers) {
      var one = all.putObject(server.name());
      switch (server) {
        case ToolServer.Local local -> {
          one.put("command", local.command());
          local.args().forEach(one.putArray("args")::add);
          one.set("env", ServiceJson.object(local.env()));
        }
        case ToolServer.Remote remote -> {
          one.put(remote.isEventStream() ? "url" : "httpUrl", remote.url());
          one.set("headers", ServiceJson.object(remote.headers()));
        }
      }
    }
    return settings.toString();
  }

  @Override
  public List<ModelLogin> modelLogins() {
    return List.of(ModelLogin.GEMINI, ModelLogin.VERTEX);
  }

  @Override
  public ModelProvider provider() {
    return ModelProvider.GOOGLE;
  }

  @Override
  public List<String> models() {
    return List.of("auto", "pro", "flash", "flash-lite");
  }

  @Override
  public OutputParser outputParser(ExecutionRequest executionRequest, LaunchFiles launchFiles) {
    return new Pieces();
  }

  /// Assembles an answer that arrives in pieces; emits each line when it is complete.
  private static final class Pieces implements OutputParser {
    private final StringBuilder answer = new StringBuilder();
    private final StringBuilder line = new StringBuilder();

    @Override
    public List<AgentEvent> parse(String output) {
      var event = JsonLines.parse(output);
      return switch (event.path("type").asText()) {
        case "init" -> List.of(new AgentEvent.Session(event.path("session_id").asText()));
        case "message" ->
            event.path("role").asText().equals("assistant")
                ? piece(event.path("content").asText())
                : List.of();
        case "tool_use" -> {
          var sayings = rest();
          answer.setLength(0);
          var tool = event.path("tool_name").asText();
          var given = event.path("parameters");
          var did = JsonLines.did(tool, given);
          sayings.add(did);
          if (tool.equals("run_shell_command")) {
            // Its result does not tell the exit status.
            sayings.add(new AgentEvent.Ran(did.given(), Optional.empty()));
          }
          switch (tool) {
            case "write_todos" -> sayings.add(JsonLines.plan(given.path("todos"), "description"));
            case "write_file" ->
                sayings.add(new AgentEvent.Wrote(given.path("file_path").asText()));
            default -> {}
          }
          yield sayings;
        }
        case "tool_result" ->
            List.of(
                new AgentEvent.Result(
                    event.path("output").asText(event.path("error").path("message").asText()),
                    event.path("status").asText().equals("error")));
        case "error" -> List.of(new AgentEvent.Status(event.path("message").asText()));
        case "result" -> {
          var sayings = rest();
          sayings.add(used(event.path("stats")));
          if (event.path("status").asText().equals("error")) {
            sayings.add(new AgentEvent.Failure(event.path("error").path("message").asText()));
          } else {
            if (!answer.toString().isBlank()) {
              sayings.add(new AgentEvent.Answer(answer.toString()));
            }
            sayings.add(new AgentEvent.Finished());
          }
          yield sayings;
        }
        default -> List.of();
      };
    }

    private static AgentEvent used(JsonNode stats) {
      return new AgentEvent.Used(
          new Usage(
              stats.path("input_tokens").asLong(),
              stats.path("output_tokens").asLong(),
              Optional.empty(),
              false));
    }

    private List<AgentEvent> piece(String text) {
      answer.append(text);
      line.append(text);
      var sayings = new ArrayList<AgentEvent>();
      for (int end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
        sayings.add(new AgentEvent.Message(line.substring(0, end)));
        line.delete(0, end + 1);
      }
      return sayings;
    }

    private List<AgentEvent> rest() {
      var sayings = new ArrayList<AgentEvent>();
      if (!line.isEmpty()) {
        sayings.add(new AgentEvent.Message(line.toString()));
        line.setLength(0);
      }
      return sayings;
    }
  }
}
