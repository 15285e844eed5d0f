package dev.runnel.service.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.json.BoundedJson;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.Usage;
import dev.runnel.text.Truncation;
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
      BoundedJson.mapper()
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS, JsonReadFeature.ALLOW_TRAILING_COMMA)
          .build();

  @Override
  public String name() {
    return "gemini";
  }

  @Override
  public Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles)
      throws IOException {
    // No person can answer permission prompts, and Gemini CLI has no mode between prompting and
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
    var realFolder = settingsFolder(launchFiles);
    if (launchFiles.isHomeOfRun()) {
      launchFiles.write(
          realFolder, SETTINGS, settings(realFolder.resolve(SETTINGS), servers, launchFiles));
      return Map.of();
    }
    var home = launchFiles.folder().resolve("gemini");
    var settings = home.resolve(".gemini");
    // The folders of the sessions must exist to be linked.
    for (var folder : List.of("tmp", "history")) {
      Files.createDirectories(realFolder.resolve(folder));
    }
    try (var entries = Files.list(realFolder)) {
      for (var entry : entries.toList()) {
        var name = entry.getFileName().toString();
        if (!name.equals(SETTINGS)) {
          launchFiles.link(settings, name, entry);
        }
      }
    }
    launchFiles.write(
        settings, SETTINGS, settings(realFolder.resolve(SETTINGS), servers, launchFiles));
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
    return launchFiles.readablePaths(List.of("GOOGLE_APPLICATION_CREDENTIALS"));
  }

  @Override
  public List<LoginFile> loginFiles(Map<String, String> operator) {
    var home =
        Optional.ofNullable(operator.get(HOME)).or(() -> Optional.ofNullable(operator.get("HOME")));
    var files =
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
            files.stream(),
            LoginFile.in(
                operator,
                "CLOUDSDK_CONFIG",
                ".config/gcloud",
                "application_default_credentials.json")
                .stream())
        .toList();
  }

  @Override
  public List<String> sessionPaths() {
    return List.of(".gemini/tmp", ".gemini/history");
  }

  @Override
  public List<String> folderVariables() {
    return List.of(HOME);
  }

  private static Path settingsFolder(LaunchFiles launchFiles) {
    return launchFiles.variable(HOME).map(Path::of).orElse(launchFiles.home()).resolve(".gemini");
  }

  private static String settings(Path file, List<ToolServer> servers, LaunchFiles launchFiles)
      throws IOException {
    var settings = ServiceJson.newObject();
    var text = launchFiles.read(file);
    if (text.isPresent()) {
      try {
        if (WITH_COMMENTS.readTree(text.get()) instanceof ObjectNode object) {
          settings = object;
        }
      } catch (JsonProcessingException _) {
        throw new AgentRefused("The settings of gemini cannot be read: " + file);
      }
    }
    var all = settings.withObjectProperty("mcpServers");
    for (var server : servers) {
      var entry = all.putObject(server.name());
      switch (server) {
        case ToolServer.Local local -> {
          entry.put("command", local.command());
          local.args().forEach(entry.putArray("args")::add);
          entry.set("env", ServiceJson.object(local.env()));
        }
        case ToolServer.Remote remote -> {
          entry.put(remote.isEventStream() ? "url" : "httpUrl", remote.url());
          entry.set("headers", ServiceJson.object(remote.headers()));
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
    return new ChunkParser();
  }

  /// Assembles an answer that arrives in chunks, and emits each line when it is complete.
  private static final class ChunkParser implements OutputParser {
    private static final String SUCCESS = "success";
    private static final int MAX_ANSWER = 64 * 1024;
    private static final int MAX_LINE = 64 * 1024;

    // Both are kept from line to line, so they are bounded.
    private final StringBuilder answer = new StringBuilder();
    private final StringBuilder line = new StringBuilder();

    @Override
    public List<AgentEvent> parse(String output) {
      var event = JsonLines.parse(output);
      return switch (event.path("type").asText()) {
        case "init" -> List.of(new AgentEvent.Session(event.path("session_id").asText()));
        case "message" ->
            event.path("role").asText().equals("assistant")
                ? addChunk(event.path("content").asText())
                : List.of();
        case "tool_use" -> {
          var events = flushLine();
          answer.setLength(0);
          var tool = event.path("tool_name").asText();
          var input = event.path("parameters");
          var toolUse = JsonLines.toolUse(tool, input);
          events.add(toolUse);
          if (tool.equals("run_shell_command")) {
            // Its result does not contain the exit status.
            events.add(new AgentEvent.CommandEnded(toolUse.input(), Optional.empty()));
          }
          switch (tool) {
            case "write_todos" -> events.add(JsonLines.plan(input.path("todos"), "description"));
            case "write_file" ->
                events.add(new AgentEvent.FileWritten(input.path("file_path").asText()));
            default -> {}
          }
          yield events;
        }
        case "tool_result" ->
            List.of(
                new AgentEvent.ToolResult(
                    event.path("output").asText(event.path("error").path("message").asText()),
                    event.path("status").asText().equals("error")));
        case "error" -> List.of(new AgentEvent.Status(event.path("message").asText()));
        case "result" -> {
          var events = flushLine();
          events.add(usageReport(event.path("stats")));
          var status = event.path("status").asText(SUCCESS);
          if (!status.equals(SUCCESS)) {
            var why = event.path("error").path("message").asText();
            events.add(new AgentEvent.Failure(why.isBlank() ? JsonLines.noReason(status) : why));
          } else {
            if (!answer.toString().isBlank()) {
              events.add(new AgentEvent.Answer(answer.toString()));
            }
            events.add(new AgentEvent.Finished());
          }
          yield events;
        }
        default -> List.of();
      };
    }

    private static AgentEvent usageReport(JsonNode stats) {
      return new AgentEvent.UsageReport(
          new Usage(
              stats.path("input_tokens").asLong(),
              stats.path("output_tokens").asLong(),
              Optional.empty(),
              false));
    }

    private List<AgentEvent> addChunk(String text) {
      answer.append(Truncation.head(text, MAX_ANSWER - answer.length()));
      line.append(text);
      // Several lines are one message, which is read line by line, also a blank one at its end.
      var end = line.lastIndexOf("\n");
      if (end < 0) {
        return line.length() > MAX_LINE ? flushLine() : List.of();
      }
      var isOneLine = line.indexOf("\n") == end;
      var complete = line.substring(0, isOneLine ? end : end + 1);
      line.delete(0, end + 1);
      return List.of(new AgentEvent.Message(complete));
    }

    private List<AgentEvent> flushLine() {
      var events = new ArrayList<AgentEvent>();
      if (!line.isEmpty()) {
        events.add(new AgentEvent.Message(line.toString()));
        line.setLength(0);
      }
      return events;
    }
  }
}
