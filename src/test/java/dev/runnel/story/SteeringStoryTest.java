package dev.runnel.story;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOT;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.testkit.FakeModel;
import dev.runnel.testkit.LocalSlack;
import dev.runnel.testkit.RealAgents;
import dev.runnel.testkit.RunnelProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A reply in Slack to a real agent while it works, with a model that the test provides.
@Tag("slow")
class SteeringStoryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"claude", "codex"})
  void replyReachesTheAgentAtItsNextStepAndIsMarkedThen(String agent) throws Exception {
    var path = RealAgents.path();
    var port = RunnelProcess.freePort();
    try (var slack =
            LocalSlack.start(
                LocalSlack.Transport.HTTP,
                URI.create("http://127.0.0.1:" + port + "/slack/events"));
        var model = FakeModel.start();
        var _ = RunnelProcess.start(folder, port, settings(slack, model, path, agent))) {
      var said =
          slack.message(
              CHANNEL,
              ANN,
              "<@" + BOT + "> begin\nsh: touch began; until [ -e go ]; do sleep 0.1; done");
      await().atMost(PATIENCE).until(() -> find("began").isPresent());

      var reply = slack.reply(CHANNEL, said, ANN, "mind the docs");
      awaitSign(slack, reply, "hourglass_flowing_sand");
      assertThat(asked(model)).doesNotContain("mind the docs");
      Files.createFile(find("began").orElseThrow().resolveSibling("go"));

      awaitSign(slack, reply, "heavy_check_mark");
      awaitSign(slack, said, "white_check_mark");
      // After the prompt, the agent tells its model the result of its command and the reply.
      assertThat(model.asked().get(1).body().toString()).containsOnlyOnce("mind the docs");
      assertThat(asked(model)).containsOnlyOnce("mind the docs");
    }
  }

  private Map<String, String> settings(LocalSlack slack, FakeModel model, String path, String agent)
      throws IOException {
    var settings = new HashMap<>(slack.settings());
    settings.put("PATH", only(agent, path) + ":" + System.getenv("PATH"));
    var codex = Files.createDirectory(folder.resolve(".codex"));
    Files.writeString(
        codex.resolve("config.toml"), "model = \"fake-1\"\n[analytics]\nenabled = false\n");
    // Codex keeps its sandbox's helpers in its home, and refuses to in a temporary folder.
    settings.put("RUNNEL_AGENT_ACCESS", "full");
    settings.put("CODEX_API_KEY", "fake-key");
    settings.put("OPENAI_BASE_URL", model.uri() + "/v1");
    settings.put("ANTHROPIC_BASE_URL", model.uri().toString());
    settings.put("ANTHROPIC_API_KEY", "fake-key");
    settings.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    return settings;
  }

  /// A folder with no other agent.
  private Path only(String agent, String path) throws IOException {
    var programs = Files.createDirectory(folder.resolve("programs"));
    var program = programs.resolve(agent);
    var real = Path.of(path.split(":", 2)[0], agent);
    Files.writeString(program, "#!/bin/sh\nexec '" + real + "' \"$@\"\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return programs;
  }

  /// The file that a command of the agent made in its workspace.
  private Optional<Path> find(String name) throws IOException {
    var workspaces = folder.resolve("data/workspaces");
    if (!Files.exists(workspaces)) {
      return Optional.empty();
    }
    try (var each = Files.list(workspaces)) {
      return each.map(workspace -> workspace.resolve(name)).filter(Files::exists).findFirst();
    }
  }

  private static String asked(FakeModel model) {
    return model.asked().getLast().body().toString();
  }

  private static void awaitSign(LocalSlack slack, String ts, String name) {
    await(name).atMost(PATIENCE).until(() -> signs(slack, ts).equals(List.of(name)));
  }

  private static List<String> signs(LocalSlack slack, String ts) {
    return slack.messages(CHANNEL).stream()
        .filter(it -> it.path("ts").asText().equals(ts))
        .flatMap(it -> StreamSupport.stream(it.path("reactions").spliterator(), false))
        .map((JsonNode it) -> it.path("name").asText())
        .toList();
  }
}
