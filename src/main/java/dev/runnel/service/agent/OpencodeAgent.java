package dev.runnel.service.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// opencode with `run --format json`.
record OpencodeAgent() implements Harness {
  private static final String CONFIG = "OPENCODE_CONFIG";

  @Override
  public String name() {
    return "opencode";
  }

  @Override
  public Launch launch(ExecutionRequest executionRequest, LaunchFiles launchFiles)
      throws IOException {
    // There is no mode between prompting and allowing everything that the configuration does not
    // deny.
    var command = new ArrayList<>(List.of("opencode", "run", "--format=json", "--auto"));
    executionRequest.modelId().ifPresent(model -> command.add("--model=" + model));
    executionRequest.agentSession().ifPresent(session -> command.add("--session=" + session));
    return new Launch(
        command, executionRequest.prompt(), configuration(executionRequest, launchFiles));
  }

  @Override
  public List<String> variables() {
    return List.of(
        """
        OPENCODE_* ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
        GOOGLE_GENERATIVE_AI_API_KEY OPENROUTER_API_KEY GROQ_API_KEY MISTRAL_API_KEY
        DEEPSEEK_API_KEY XAI_API_KEY
        """
            .split("\\s+"));
  }

  @Override
  public List<Path> readable(LaunchFiles launchFiles) {
    return launchFiles.readablePaths(List.of(CONFIG, "OPENCODE_CONFIG_DIR"));
  }

  @Override
  public List<LoginFile> loginFiles(Map<String, String> operator) {
    return Stream.concat(
            LoginFile.in(
                operator,
                "XDG_CONFIG_HOME",
                ".config",
                "opencode/opencode.json",
                "opencode/opencode.jsonc",
                "opencode/AGENTS.md")
                .stream(),
            LoginFile.in(operator, "XDG_DATA_HOME", ".local/share", "opencode/auth.json").stream())
        .toList();
  }

  @Override
  public List<String> sessionPaths() {
    return List.of(
        ".local/share/opencode/storage",
        ".local/share/opencode/opencode.db",
        ".local/share/opencode/opencode.db-shm",
        ".local/share/opencode/opencode.db-wal");
  }

  private static Map<String, String> configuration(
      ExecutionRequest executionRequest, LaunchFiles launchFiles) throws IOException {
    var config = ServiceJson.newObject();
    if (executionRequest.basePrompt().isPresent()) {
      var file = launchFiles.write("opencode-base-prompt.md", executionRequest.basePrompt().get());
      config.putArray("instructions").add(file.toString());
    }
    for (var server : ToolServer.of(executionRequest)) {
      var entry = config.withObjectProperty("mcp").putObject(server.name()).put("enabled", true);
      switch (server) {
        case ToolServer.Local local -> {
          var commandLine = entry.put("type", "local").putArray("command").add(local.command());
          local.args().forEach(commandLine::add);
          entry.set("environment", ServiceJson.object(local.env()));
        }
        case ToolServer.Remote remote -> {
          entry.put("type", "remote").put("url", remote.url());
          entry.set("headers", ServiceJson.object(remote.headers()));
        }
      }
    }
    if (config.isEmpty()) {
      return Map.of();
    }
    // Only one configuration file can be given; if the operator sets it, this one is passed as a
    // variable.
    return launchFiles.variable(CONFIG).isPresent()
        ? Map.of("OPENCODE_CONFIG_CONTENT", config.toString())
        : Map.of(CONFIG, launchFiles.write("opencode.json", config.toString()).toString());
  }

  @Override
  public OutputParser outputParser(ExecutionRequest executionRequest, LaunchFiles launchFiles) {
    return new Parser();
  }

  private static final class Parser implements OutputParser {
    private final LastMessage lastMessage = new LastMessage("\n\n");

    // That of the first event; subagents have sessions of their own.
    private String session = "";

    @Override
    public List<AgentEvent> parse(String line) {
      var event = JsonLines.parse(line);
      if (!event.hasNonNull("sessionID")) {
        return agent(event);
      }
      var id = event.get("sessionID").asText();
      if (session.isEmpty() && JsonLines.isId(id)) {
        session = id;
      }
      return id.equals(session) ? agent(event) : AgentEvent.OfSubagent.all(work(event));
    }

    private List<AgentEvent> agent(JsonNode event) {
      var events = new ArrayList<AgentEvent>();
      if (event.hasNonNull("sessionID")) {
        events.add(new AgentEvent.Session(event.get("sessionID").asText()));
      }
      events.addAll(work(event));
      var part = event.path("part");
      switch (event.path("type").asText()) {
        case "text" -> {
          lastMessage.add(part.path("messageID").asText(), part.path("text").asText());
          events.add(new AgentEvent.Answer(lastMessage.text()));
        }
        case "step_finish" -> {
          if (part.path("reason").asText().equals("stop")) {
            events.add(new AgentEvent.Finished());
          }
        }
        case "error" -> events.add(new AgentEvent.Failure(errorText(event.path("error"))));
        default -> {}
      }
      return events;
    }

    private static List<AgentEvent> work(JsonNode event) {
      var part = event.path("part");
      return switch (event.path("type").asText()) {
        case "text" -> List.of(new AgentEvent.Message(part.path("text").asText()));
        case "tool_use" -> toolUse(part.path("tool").asText(), part.path("state"));
        case "step_finish" -> List.of(new AgentEvent.UsageReport(usage(part)));
        default -> List.of();
      };
    }
  }

  /// opencode reports a tool only after it has finished.
  private static List<AgentEvent> toolUse(String tool, JsonNode state) {
    var events = new ArrayList<AgentEvent>();
    var input = state.path("input");
    events.add(JsonLines.toolUse(tool, input));
    switch (tool) {
      case "todowrite" -> events.add(JsonLines.plan(input.path("todos"), "content"));
      case "write" -> events.add(new AgentEvent.FileWritten(input.path("filePath").asText()));
      default -> {}
    }
    if (tool.equals("bash")) {
      var exit = state.path("metadata").path("exit");
      events.add(
          new AgentEvent.CommandEnded(
              JsonLines.toolUse("", input).input(),
              Optional.of(exit).filter(JsonNode::isInt).map(JsonNode::asInt)));
    }
    var failed = state.path("status").asText().equals("error");
    events.add(
        new AgentEvent.ToolResult(
            state.path(failed ? "error" : "output").asText(),
            failed || state.path("metadata").path("exit").asInt() != 0));
    return events;
  }

  private static Usage usage(JsonNode part) {
    var tokens = part.path("tokens");
    return new Usage(
        tokens.path("input").asLong()
            + tokens.path("cache").path("read").asLong()
            + tokens.path("cache").path("write").asLong(),
        tokens.path("output").asLong() + tokens.path("reasoning").asLong(),
        Usage.dollars(part.path("cost")),
        false);
  }

  private static String errorText(JsonNode error) {
    return Optional.ofNullable(error.path("data").path("message").asText(null))
        .orElseGet(() -> error.path("name").asText());
  }
}
