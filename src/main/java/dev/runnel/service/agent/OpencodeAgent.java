package dev.runnel.service.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.run.Job;
import dev.runnel.service.run.Json;
import dev.runnel.service.run.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// opencode, `run --format json`.
record OpencodeAgent() implements Harness {
  private static final String CONFIG = "OPENCODE_CONFIG";

  @Override
  public String name() {
    return "opencode";
  }

  @Override
  public Launch launch(Job job, Desk desk) throws IOException {
    // There is nothing between asking a person and allowing what its configuration does not deny.
    var command = new ArrayList<>(List.of("opencode", "run", "--format=json", "--auto"));
    job.modelId().ifPresent(model -> command.add("--model=" + model));
    job.agentSession().ifPresent(session -> command.add("--session=" + session));
    return new Launch(command, job.prompt(), configuration(job, desk));
  }

  @Override
  public List<String> variables() {
    return List.of(
        "OPENCODE_*",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "OPENROUTER_API_KEY",
        "GROQ_API_KEY",
        "MISTRAL_API_KEY",
        "DEEPSEEK_API_KEY",
        "XAI_API_KEY");
  }

  @Override
  public List<Path> places(Desk desk) {
    return List.of(
        desk.folder(),
        desk.home().resolve(".config/opencode"),
        desk.home().resolve(".local/share/opencode"),
        desk.home().resolve(".local/state/opencode"),
        desk.home().resolve(".cache/opencode"));
  }

  private static Map<String, String> configuration(Job job, Desk desk) throws IOException {
    var config = Json.newObject();
    if (job.basePrompt().isPresent()) {
      var file = desk.lay("opencode-base-prompt.md", job.basePrompt().get());
      config.putArray("instructions").add(file.toString());
    }
    for (var server : ToolServer.of(job)) {
      var one = config.withObjectProperty("mcp").putObject(server.name()).put("enabled", true);
      switch (server) {
        case ToolServer.Local local -> {
          var words = one.put("type", "local").putArray("command").add(local.command());
          local.args().forEach(words::add);
          one.set("environment", Json.object(local.env()));
        }
        case ToolServer.Remote remote -> {
          one.put("type", "remote").put("url", remote.url());
          one.set("headers", Json.object(remote.headers()));
        }
      }
    }
    if (config.isEmpty()) {
      return Map.of();
    }
    // There is one place for a file; where it is taken, the other way in is a variable.
    return desk.variable(CONFIG).isPresent()
        ? Map.of("OPENCODE_CONFIG_CONTENT", config.toString())
        : Map.of(CONFIG, desk.lay("opencode.json", config.toString()).toString());
  }

  @Override
  public Ears ears() {
    return line -> {
      var event = JsonLines.parse(line);
      var sayings = new ArrayList<Saying>();
      if (event.hasNonNull("sessionID")) {
        sayings.add(new Saying.Session(event.get("sessionID").asText()));
      }
      var part = event.path("part");
      switch (event.path("type").asText()) {
        case "text" -> {
          var text = part.path("text").asText();
          sayings.add(new Saying.Said(text));
          sayings.add(new Saying.Answer(text));
        }
        case "tool_use" -> sayings.addAll(used(part.path("tool").asText(), part.path("state")));
        case "step_finish" -> {
          sayings.add(new Saying.Used(usage(part)));
          if (part.path("reason").asText().equals("stop")) {
            sayings.add(new Saying.Finished());
          }
        }
        case "error" -> sayings.add(new Saying.Failure(why(event.path("error"))));
        default -> {}
      }
      return sayings;
    };
  }

  /// It tells of a tool only when that is done.
  private static List<Saying> used(String tool, JsonNode state) {
    var sayings = new ArrayList<Saying>();
    var input = state.path("input");
    sayings.add(JsonLines.did(tool, input));
    switch (tool) {
      case "todowrite" -> sayings.add(JsonLines.plan(input.path("todos"), "content"));
      case "write" -> sayings.add(new Saying.Wrote(input.path("filePath").asText()));
      default -> {}
    }
    var failed = state.path("status").asText().equals("error");
    sayings.add(
        new Saying.Result(
            state.path(failed ? "error" : "output").asText(),
            failed || state.path("metadata").path("exit").asInt() != 0));
    return sayings;
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

  private static String why(JsonNode error) {
    return Optional.ofNullable(error.path("data").path("message").asText(null))
        .orElseGet(() -> error.path("name").asText());
  }
}
