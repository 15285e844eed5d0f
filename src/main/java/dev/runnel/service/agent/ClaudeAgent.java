package dev.runnel.service.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.Job;
import dev.runnel.service.run.Json;
import dev.runnel.service.run.Usage;
import dev.runnel.wire.ModelProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Claude Code in print mode, with `stream-json` output.
record ClaudeAgent() implements Harness {
  @Override
  public String name() {
    return "claude";
  }

  @Override
  public Launch launch(Job job, Desk desk) throws IOException {
    var command =
        new ArrayList<>(List.of("claude", "-p", "--output-format", "stream-json", "--verbose"));
    job.modelId().ifPresent(model -> command.add("--model=" + model));
    job.reasoningLevel().ifPresent(level -> command.add("--effort=" + level));
    job.agentSession()
        .map(session -> "--resume=" + session)
        .or(() -> job.newSession().map(session -> "--session-id=" + session))
        .ifPresent(command::add);
    if (job.basePrompt().isPresent()) {
      // A resumed session does not remember it.
      var file = desk.lay("claude-base-prompt.txt", job.basePrompt().get());
      command.add("--append-system-prompt-file=" + file);
    }
    desk.attached().ifPresent(folder -> command.add("--add-dir=" + folder));
    var servers = ToolServer.of(job);
    if (!servers.isEmpty()) {
      command.add("--mcp-config=" + desk.lay("claude-tools.json", config(servers)));
    }
    return switch (desk.access()) {
      case WORKSPACE -> {
        command.add("--permission-mode=acceptEdits");
        command.add("--allowedTools=" + allowed(servers));
        yield new Launch(command, job.prompt(), Map.of());
      }
      case FULL -> {
        command.add("--permission-mode=bypassPermissions");
        // Without being told that this is a sandbox, it refuses that to root.
        yield new Launch(command, job.prompt(), Map.of("IS_SANDBOX", "1"));
      }
    };
  }

  @Override
  public List<String> variables() {
    return List.of("ANTHROPIC_*", "CLAUDE_*");
  }

  @Override
  public List<Path> places(Desk desk) {
    return desk.variable("CLAUDE_CONFIG_DIR")
        .map(Path::of)
        .map(home -> List.of(desk.folder(), home))
        .orElseGet(
            () ->
                List.of(
                    desk.folder(),
                    desk.home().resolve(".claude"),
                    desk.home().resolve(".claude.json")));
  }

  private static String allowed(List<ToolServer> servers) {
    var tools =
        new ArrayList<>(List.of("Bash", "Edit", "Write", "NotebookEdit", "WebFetch", "WebSearch"));
    servers.forEach(server -> tools.add("mcp__" + server.name()));
    return String.join(",", tools);
  }

  private static String config(List<ToolServer> servers) {
    var config = Json.newObject();
    var all = config.putObject("mcpServers");
    for (var server : servers) {
      var one = all.putObject(server.name());
      switch (server) {
        case ToolServer.Local local -> {
          one.put("type", "stdio").put("command", local.command());
          local.args().forEach(one.putArray("args")::add);
          one.set("env", Json.object(local.env()));
        }
        case ToolServer.Remote remote -> {
          one.put("type", remote.isEventStream() ? "sse" : "http").put("url", remote.url());
          one.set("headers", Json.object(remote.headers()));
        }
      }
    }
    return config.toString();
  }

  @Override
  public ModelProvider provider() {
    return ModelProvider.ANTHROPIC;
  }

  @Override
  public List<String> models() {
    return List.of("sonnet", "opus", "haiku");
  }

  @Override
  public Ears ears() {
    return line -> {
      var event = JsonLines.parse(line);
      return switch (event.path("type").asText()) {
        case "system" -> system(event);
        case "assistant" -> assistant(event.path("message").path("content"));
        case "user" -> results(event.path("message").path("content"));
        case "result" -> result(event);
        default -> List.of();
      };
    };
  }

  private static List<Saying> system(JsonNode event) {
    return switch (event.path("subtype").asText()) {
      case "init" -> List.of(new Saying.Session(event.path("session_id").asText()));
      case "api_retry" ->
          List.of(
              new Saying.Status(
                  "The model does not answer (%s), trying again: %d of %d"
                      .formatted(
                          event.path("error_status").asText("no connection"),
                          event.path("attempt").asInt(),
                          event.path("max_retries").asInt())));
      default -> List.of();
    };
  }

  private static List<Saying> assistant(JsonNode content) {
    var sayings = new ArrayList<Saying>();
    for (var part : content) {
      switch (part.path("type").asText()) {
        case "text" -> sayings.add(new Saying.Said(part.path("text").asText()));
        case "tool_use" -> {
          var tool = part.path("name").asText();
          var input = part.path("input");
          sayings.add(JsonLines.did(tool, input));
          switch (tool) {
            case "TodoWrite" -> sayings.add(JsonLines.plan(input.path("todos"), "content"));
            case "ExitPlanMode" -> sayings.add(new Saying.Planned(input.path("plan").asText()));
            case "Write" -> sayings.add(new Saying.Wrote(input.path("file_path").asText()));
            default -> {}
          }
        }
        default -> {}
      }
    }
    return sayings;
  }

  private static List<Saying> results(JsonNode content) {
    var sayings = new ArrayList<Saying>();
    for (var part : content) {
      if (part.path("type").asText().equals("tool_result")) {
        var given = part.path("content");
        sayings.add(
            new Saying.Result(
                given.isTextual()
                    ? given.asText()
                    : given.findValuesAsText("text").stream().collect(Collectors.joining("\n")),
                part.path("is_error").asBoolean()));
      }
    }
    return sayings;
  }

  private static List<Saying> result(JsonNode event) {
    var used = event.path("usage");
    var sayings = new ArrayList<Saying>();
    sayings.add(
        new Saying.Used(
            new Usage(
                used.path("input_tokens").asLong()
                    + used.path("cache_creation_input_tokens").asLong()
                    + used.path("cache_read_input_tokens").asLong(),
                used.path("output_tokens").asLong(),
                Usage.dollars(event.path("total_cost_usd")),
                false)));
    var text = event.path("result").asText();
    if (event.path("is_error").asBoolean()) {
      // The subtype can be "success" even so.
      sayings.add(new Saying.Failure(text.isBlank() ? event.path("subtype").asText() : text));
    } else {
      if (!text.isBlank()) {
        sayings.add(new Saying.Answer(text));
      }
      sayings.add(new Saying.Finished());
    }
    return sayings;
  }
}
