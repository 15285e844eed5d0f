package dev.runnel.service.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.isolation.LineReader;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an agent prints of secrets, in all that the service keeps of its run.
@Tag("slow")
class SecretsInOutputTest {
  private static final String TOKEN = "ghp_" + "a1B2c3D4e5".repeat(4);
  private static final String KEY_LINE = "MIIEpAIBAAKCAQEA7c1Rr0u2".repeat(2);

  @TempDir Path folder;

  @Test
  void tokensAreMaskedInStatusTranscriptAndAnswer() {
    var seen = seen("echo \"::status Using " + TOKEN + "\"; echo \"I used " + TOKEN + ".\"");

    assertThat(seen).contains("I used (redacted).").doesNotContain(TOKEN);
  }

  @Test
  void aTokenInColoursIsMasked() {
    var seen =
        seen("printf 'grep: \\033[32mghp_\\033[0m" + TOKEN.substring("ghp_".length()) + "\\n'");

    assertThat(seen).contains("grep: (redacted)").doesNotContain(TOKEN.substring("ghp_".length()));
  }

  @Test
  void theServicesOwnKeyIsMasked() {
    assertThat(seen("echo key=" + RunningService.KEY)).contains("key=(redacted)");
  }

  @Test
  void aPrivateKeyOfManyLinesIsMaskedAndWhatFollowsIsNot() throws IOException {
    var pem = Files.writeString(folder.resolve("key.pem"), pem(KEY_LINE, "abcd1234=="));

    var seen = seen("cat '%s'; cat '%s' >&2; echo 'That was it.'".formatted(pem, pem));

    assertThat(seen).contains("(redacted)", "That was it.").doesNotContain(KEY_LINE, "abcd1234");
  }

  @Test
  void secretIsMaskedBeforeAgentOutputIsShortened() throws IOException {
    var agent = folder.resolve("bin/claude");
    Files.createDirectories(agent.getParent());
    var command = "x".repeat(180) + " " + TOKEN;
    Files.writeString(
        agent,
        """
        #!/bin/sh
        head -n 1 >/dev/null
        printf '%%s\\n' '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"%s"}}]}}'
        printf '%%s\\n' '{"type":"user","message":{"content":[{"type":"tool_result","content":"one\\n%s\\n%s"}]}}'
        printf '%%s\\n' '{"type":"result","result":"done"}'
        """
            .formatted(command, TOKEN, pem(KEY_LINE).replace("\n", "\\n")));
    assertThat(agent.toFile().setExecutable(true)).isTrue();
    var environment =
        Map.of("PATH", agent.getParent() + ":" + System.getenv("PATH"), "HOME", folder.toString());
    try (var service =
        RunningService.inOnlyThisEnvironment(folder, environment, AgentAccess.FULL)) {
      var seen = seen(service);

      assertThat(seen).contains("Bash xxx", "text=(redacted),", "done");
      assertThat(seen).doesNotContain(TOKEN.substring(0, 8), KEY_LINE.substring(0, 12));
    }
  }

  @Test
  void aTokenThatJsonEscapesIsMasked() throws IOException {
    var agent = folder.resolve("bin/claude");
    Files.createDirectories(agent.getParent());
    var escaped = TOKEN.replace("ghp_", "\\u0067hp_");
    Files.writeString(
        agent,
        """
        #!/bin/sh
        head -n 1 >/dev/null
        printf '%%s\\n' '{"type":"assistant","message":{"content":[{"type":"text","text":"I used %1$s."}]}}'
        printf '%%s\\n' '{"type":"result","result":"It was %1$s."}'
        """
            .formatted(escaped));
    assertThat(agent.toFile().setExecutable(true)).isTrue();
    var environment =
        Map.of("PATH", agent.getParent() + ":" + System.getenv("PATH"), "HOME", folder.toString());
    try (var service =
        RunningService.inOnlyThisEnvironment(folder, environment, AgentAccess.FULL)) {
      assertThat(seen(service))
          .contains("I used (redacted).", "It was (redacted).")
          .doesNotContain(TOKEN.substring("ghp_".length()));
    }
  }

  @Test
  void theKeyThatAnAgentWasLentForItsLoginIsMasked() throws IOException {
    var agent = folder.resolve("bin/codex");
    Files.createDirectories(agent.getParent());
    Files.writeString(
        agent,
        """
        #!/bin/sh
        while read -r line; do
          case "$line" in
          *'"initialize"'*) echo '{"id":"ready","result":{}}' ;;
          *thread/start*) echo '{"id":"thread","result":{"thread":{"id":"t"}}}' ;;
          *turn/start*)
            printf '{"method":"item/completed","params":{"threadId":"t","item":%s}}\\n' \
              "{\\"type\\":\\"agentMessage\\",\\"text\\":\\"$OPENAI_API_KEY on $OPENAI_BASE_URL\\"}"
            echo '{"method":"turn/completed","params":{"threadId":"t","turn":{"status":"completed"}}}'
            ;;
          esac
        done
        """);
    assertThat(agent.toFile().setExecutable(true)).isTrue();
    var environment =
        Map.of(
            "PATH",
            agent.getParent() + ":" + System.getenv("PATH"),
            "HOME",
            folder.toString(),
            "OPENAI_API_KEY",
            "a key of no known shape",
            "OPENAI_BASE_URL",
            "https://models.example");
    try (var service =
        RunningService.inOnlyThisEnvironment(folder, environment, AgentAccess.FULL)) {
      assertThat(seen(service))
          .contains("(redacted) on https://models.example")
          .doesNotContain("no known shape");
    }
  }

  @Test
  void tokenCutByTheLineLimitIsNotShownInPart() {
    var seen =
        seen(
            "head -c %d /dev/zero | tr '\\0' '#' >&2; echo %s >&2"
                .formatted(LineReader.MAX - 20, TOKEN));

    assertThat(seen).contains("###…").doesNotContain(TOKEN.substring(0, 8));
  }

  @Test
  void secretsInTheOutputOfASetupCommandAreMasked() {
    var environment = Environment.named("web").withSetupCommands(List.of("echo using " + TOKEN));
    var setup =
        Setup.USUAL.with(
            new Environments(List.of(environment), Optional.of(environment), Map.of()));
    try (var service = RunningService.with(folder, "echo fine", 4, setup)) {
      assertThat(seen(service)).contains("using (redacted)").doesNotContain(TOKEN);
    }
  }

  private String seen(String command) {
    try (var service = RunningService.withCommand(folder, command)) {
      return seen(service);
    }
  }

  /// All that the service shows of a run.
  private static String seen(RunningService service) {
    var id = service.create("Go");
    var run = service.awaitState(id, "SUCCEEDED");
    return run
        + "\n"
        + service.service.transcript(id, 0)
        + service.transcript(id)
        + service.get("/agent/runs/" + id + "/conversation").body()
        + service.get("/agent/runs/" + id + "/timeline").body();
  }

  private static String pem(String... lines) {
    return "-----BEGIN RSA PRIVATE KEY-----\n"
        + String.join("\n", lines)
        + "\n-----END RSA PRIVATE KEY-----\n";
  }
}
