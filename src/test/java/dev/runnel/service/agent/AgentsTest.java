package dev.runnel.service.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.wire.RunMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentsTest {
  @TempDir Path folder;

  @Test
  void defaultAgentIsTheConfiguredCommand() throws IOException {
    program("claude");

    assertThat(agents(Optional.of("my-agent")).defaultAgent().name()).isEqualTo("command");
  }

  @Test
  void defaultAgentWithoutACommandIsTheFirstKnownOneOnThePath() throws IOException {
    program("opencode");
    program("codex");
    assertThat(agents(Optional.empty()).defaultAgent().name()).isEqualTo("codex");

    program("claude");
    assertThat(agents(Optional.empty()).defaultAgent().name()).isEqualTo("claude");
  }

  @Test
  void defaultAgentIsTheDemoAgentIfNoneIsInstalled() throws IOException {
    Files.writeString(folder.resolve("claude"), "not executable");

    assertThat(agents(Optional.empty()).defaultAgent().name()).isEqualTo("rehearsal");
  }

  @Test
  void runGetsTheRequestedAgent() throws IOException {
    program("claude");
    program("gemini");
    var agents = agents(Optional.of("my-agent"));

    assertThat(agents.of(job("{\"harness\":{\"type\":\"gemini\"}}")).name()).isEqualTo("gemini");
    assertThat(agents.of(job("{\"harness\":{\"type\":\"oz\"}}")).name()).isEqualTo("command");
    assertThat(agents.of(job("{\"harness\":{}}")).name()).isEqualTo("command");
    assertThat(agents.of(job("{}")).name()).isEqualTo("command");
  }

  @Test
  void requestForAMissingAgentIsRefusedWithTheInstalledAgents() throws IOException {
    assertThatThrownBy(() -> agents(Optional.empty()).of(job("{\"harness\":{\"type\":\"codex\"}}")))
        .isInstanceOf(AgentRefused.class)
        .hasMessage(
            "The run asks for the agent codex, which is not installed here. No coding agent is.");
    program("claude");
    program("gemini");

    assertThatThrownBy(() -> agents(Optional.empty()).of(job("{\"harness\":{\"type\":\"codex\"}}")))
        .hasMessage(
            "The run asks for the agent codex, which is not installed here. There is: claude,"
                + " gemini.");
  }

  @Test
  void agentSeesOnlyItsOwnSessionAndModel() {
    var executionRequest = job("{\"harness\":{\"type\":\"codex\",\"model_id\":\"special\"}}");

    assertThat(executionRequest.forAgent(new CodexAgent().name()).agentSession()).contains("t-1");
    assertThat(executionRequest.forAgent(new ClaudeAgent().name()).agentSession()).isEmpty();
    assertThat(executionRequest.forAgent(new CodexAgent().name()).modelId()).contains("special");
    assertThat(job("{}").forAgent(new CodexAgent().name()).modelId()).contains("m");
  }

  private Agents agents(Optional<String> command) {
    return Agents.find(command, Map.of("PATH", "/nowhere::" + folder));
  }

  private static ExecutionRequest job(String config) {
    return new ExecutionRequest(
        "run",
        2,
        "prompt",
        "session",
        Optional.of("codex:t-1"),
        Optional.of("m"),
        Optional.empty(),
        config,
        RunMode.NORMAL,
        "claim");
  }

  private void program(String name) throws IOException {
    Files.createFile(
        folder.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }
}
