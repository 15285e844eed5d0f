package dev.runnel.service.execution;

import static dev.runnel.service.RunningService.JSON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.Main;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.isolation.Machine;
import dev.runnel.service.isolation.Quotas;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.FakeModel;
import dev.runnel.testkit.RealAgents;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The real coding agents in a bubblewrap, each run in a home folder of its own.
@Tag("slow")
class IsolatedRealAgentsTest {
  private static final Map<String, Function<FakeModel, RealAgent>> AGENTS =
      Map.of(
          "claude", RealAgent::claude,
          "codex", RealAgent::codex,
          "codex with variables", RealAgent::codexWithVariables,
          "codex with a login file", RealAgent::codexWithLoginFile,
          "gemini", RealAgent::gemini,
          "opencode", RealAgent::opencode);

  @BeforeEach
  void works() {
    Bubblewrapped.require();
  }

  @ParameterizedTest
  @ValueSource(strings = {"claude", "codex", "gemini", "opencode"})
  void isolatedAgentKeepsItsSessionOnlyInItsOwnHome(String agent, @TempDir Path folder)
      throws IOException {
    try (var stage =
        RealAgentContract.Stage.open(
            folder,
            Objects.requireNonNull(AGENTS.get(agent)),
            variables -> isolation(variables, folder))) {
      var before = files(folder.resolve("home"));
      var found = "found.json";
      var config = stage.config();
      config.put("base_prompt", "You speak like a pirate.");
      var server = config.putObject("mcp_servers").putObject("tick tock");
      server.put("command", "node");
      server.putArray("args").add(RealAgents.toolServer().toString()).add("/tmp/" + found);
      server.putObject("env").put("TOOL_SECRET", "s3cret-of-the-tool");
      var id = stage.create("Please touch the file", config);
      stage.awaitEnd(id, "SUCCEEDED");
      stage.service().followUp(id, "And once more");
      stage.awaitEnd(id, "SUCCEEDED");

      assertThat(stage.touched(id)).isEqualTo("touched\ntouched\n");
      assertThat(stage.model().asked().getLast().body().toString())
          .contains("Please touch the file", "And once more");
      var seen = JSON.readTree(Files.readString(folder.resolve("homes/" + id + "/tmp/" + found)));
      assertThat(seen.get("secret").asText()).isEqualTo("s3cret-of-the-tool");
      assertThat(files(folder.resolve("home"))).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"claude", "codex"})
  void attachCommandContinuesTheSessionInATerminal(String agent, @TempDir Path folder)
      throws Exception {
    try (var stage =
        RealAgentContract.Stage.open(
            folder,
            Objects.requireNonNull(AGENTS.get(agent)),
            variables -> isolation(variables, folder))) {
      var id = stage.create("Please touch the file");
      stage.awaitEnd(id, "SUCCEEDED");
      var home = folder.resolve("home").toString();
      var out = new ByteArrayOutputStream();
      var err = new ByteArrayOutputStream();
      var code =
          new Main(new PrintStream(out), new PrintStream(err), Map.of("HOME", home))
              .run(List.of("attach", id, "--data", folder.toString()));
      assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();

      // The same without a terminal, which the test does not have.
      var printed = out.toString(StandardCharsets.UTF_8).strip();
      var script =
          agent.equals("claude")
              ? printed + " -p 'And at home'"
              : printed.replace("codex resume", "codex exec resume --skip-git-repo-check -m fake-1")
                  + " 'And at home'";
      var terminal =
          new ProcessBuilder("sh", "-ec", script)
              .redirectErrorStream(true)
              .redirectInput(Redirect.from(new File("/dev/null")));
      terminal.environment().putAll(stage.agent().environment());
      terminal
          .environment()
          .putAll(Map.of("HOME", home, "PATH", RealAgents.path() + ":" + System.getenv("PATH")));
      var process = terminal.start();
      var shown = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(process.waitFor()).as(shown).isZero();
      assertThat(stage.model().asked())
          .as(shown)
          .anySatisfy(
              asked ->
                  assertThat(asked.body().toString())
                      .contains("Please touch the file", "And at home"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"claude", "codex with variables", "codex with a login file", "gemini"})
  void isolatedAgentUsesItsModelWithoutAccessToTheKey(String agent, @TempDir Path folder)
      throws IOException {
    try (var stage =
        RealAgentContract.Stage.open(
            folder,
            Objects.requireNonNull(AGENTS.get(agent)),
            variables -> isolation(variables, folder))) {
      var command =
          "env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; a=fake-;"
              + " cat ~/.codex/auth.json; grep -rls \"${a}key\" ~ /tmp /var/tmp /dev/shm . /etc"
              + " | grep -v /cli/; echo looked";
      var id = stage.create("Look for the key\nsh: " + command);
      stage.awaitEnd(id, "SUCCEEDED");

      // What the agent tells its model is not redacted.
      var asked = stage.model().asked().getLast();
      assertThat(asked.body().toString())
          .contains("looked", "added-by-runnel-")
          .doesNotContain("fake-key", "/.codex/auth.json\\n");
      assertThat(stage.model().asked()).allMatch(it -> it.key().orElse("").endsWith("fake-key"));
    }
  }

  private static Isolation isolation(Map<String, String> variables, Path folder) {
    return Isolations.choose(
        "bubblewrap",
        new Machine(
            variables,
            List.of(folder.resolve("workspaces")),
            List.of(RealAgents.toolServer().getParent()),
            List.of(),
            Quotas.DEFAULT,
            AgentUsers.any()));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (var all = Files.walk(folder)) {
      return all.sorted().toList();
    }
  }
}
