package dev.runnel.service.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.testkit.FakeModel;
import dev.runnel.testkit.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The real Codex in both ways in which it is started, with a model that the test provides.
@Tag("slow")
@Timeout(90)
class CodexAgentTest {
  @TempDir Path folder;

  @Test
  void bothCodexModesContinueSessionsOfEachOther() throws Exception {
    try (var model = FakeModel.start()) {
      var first = execute(model, "workspace", "Please touch the file", Optional.empty(), false);
      var second = execute(model, "workspace", "And once more", Optional.of(session(first)), true);
      var third = execute(model, "workspace", "And at last", Optional.of(session(first)), false);

      assertThat(List.of(session(second), session(third))).containsOnly(session(first));
      assertThat(List.of(first, second, third))
          .allSatisfy(events -> assertThat(events).contains(new AgentEvent.Finished()));
      assertThat(model.asked().getLast().body().toString())
          .contains("Please touch the file", "And once more", "And at last");
    }
  }

  @Test
  void codexSessionContinuesInAnotherFolder() throws Exception {
    try (var model = FakeModel.start()) {
      var first = execute(model, "workspace", "Please touch the file", Optional.empty(), true);
      execute(model, "elsewhere", "And here", Optional.of(session(first)), true);

      assertThat(folder.resolve("workspace/touched.txt")).hasContent("touched");
      assertThat(folder.resolve("elsewhere/touched.txt")).hasContent("touched");
    }
  }

  @Test
  void aKeyInAVariableIsNotStored() throws Exception {
    try (var model = FakeModel.start()) {
      execute(model, "workspace", "Please touch the file", Optional.empty(), true);

      assertThat(model.asked()).allMatch(asked -> asked.key().orElse("").endsWith("fake-key"));
      assertThat(folder.resolve("home/.codex/auth.json")).doesNotExist();
    }
  }

  private List<AgentEvent> execute(
      FakeModel model, String place, String prompt, Optional<String> session, boolean isInputOpen)
      throws IOException, InterruptedException {
    var home = Files.createDirectories(folder.resolve("home"));
    Files.createDirectories(home.resolve(".codex"));
    var workspace = Files.createDirectories(folder.resolve(place));
    var environment =
        new HashMap<>(
            Map.of(
                "HOME",
                home.toString(),
                "PATH",
                RealAgents.path() + ":" + System.getenv("PATH"),
                "CODEX_API_KEY",
                "fake-key",
                "OPENAI_BASE_URL",
                model.uri() + "/v1"));
    var request =
        ExecutionRequest.internal("run")
            .withPrompt(prompt)
            .withAgentSession(session)
            .withModelId(Optional.of("fake-1"));
    var desk =
        new LaunchFiles(
            folder.resolve("desk"),
            workspace,
            environment,
            AgentAccess.FULL,
            PermissionRules.NONE,
            false,
            isInputOpen);
    var agent = new CodexAgent();
    var launch = agent.launch(request, desk);
    // A program is looked for in the PATH of the one that starts it.
    var command = new ArrayList<>(List.of("env"));
    command.addAll(launch.command());
    var builder = new ProcessBuilder(command).directory(workspace.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.redirectError(folder.resolve("errors").toFile());
    var process = builder.start();
    var input = process.outputWriter(StandardCharsets.UTF_8);
    var output = process.inputReader(StandardCharsets.UTF_8);
    try {
      input.write(launch.input());
      input.flush();
      if (!isInputOpen) {
        input.close();
      }
      var parser = agent.outputParser(request, desk);
      var events = new ArrayList<AgentEvent>();
      for (var line = output.readLine(); line != null; line = output.readLine()) {
        for (var event : parser.parse(line)) {
          events.add(event);
          switch (event) {
            case AgentEvent.InputLine(String next) -> {
              input.write(next + "\n");
              input.flush();
            }
            case AgentEvent.Finished _, AgentEvent.Failure _ -> input.close();
            default -> {}
          }
        }
      }
      assertThat(process.waitFor()).isZero();
      return events;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String session(List<AgentEvent> events) {
    return events.stream()
        .filter(AgentEvent.Session.class::isInstance)
        .map(event -> ((AgentEvent.Session) event).id())
        .findFirst()
        .orElseThrow();
  }
}
