package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `./runnel check` without a platform and without a database server.
class CheckCommandTest {
  private static final int PAGE = 4096;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @TempDir Path data;

  @Test
  void filesOfDatabasesThatAreIntactAreOk() {
    database("runnel.db");
    database("agent-runs.db");

    assertThat(check(Map.of())).isZero();
    assertThat(said()).contains("Database     ok\n");
  }

  @Test
  void filesThatAreNotThereYetAreOkAndAreNotCreated() {
    assertThat(check(Map.of())).isZero();
    assertThat(said()).contains("Database     ok\n");
    assertThat(data).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"runnel.db", "agent-runs.db"})
  void aFileThatIsNoDatabaseIsNamedWithTheRemedy(String name) throws IOException {
    Files.writeString(data.resolve(name), "not a database. ".repeat(1000));

    assertThat(check(Map.of())).isOne();
    assertThat(said())
        .contains("Database     " + data.resolve(name) + " cannot be read: ")
        .contains("./runnel restore DIR");
  }

  @Test
  void aFileWithADamagedPageIsNamed() throws IOException {
    database("runnel.db");
    try (var file = FileChannel.open(data.resolve("runnel.db"), StandardOpenOption.WRITE)) {
      for (long page = 2; page < file.size() / PAGE; page++) {
        file.write(ByteBuffer.wrap(new byte[] {77, 77, 77, 77}), page * PAGE);
      }
    }

    assertThat(check(Map.of())).isOne();
    assertThat(said()).contains("Database     " + data.resolve("runnel.db") + " cannot be read: ");
  }

  @Test
  void theFileOfRunsIsNotReadIfAnotherServiceHasThem() throws IOException {
    Files.writeString(data.resolve("agent-runs.db"), "not a database. ".repeat(1000));
    var other =
        Map.of(
            "RUNNEL_AGENT_API_URL",
            "http://localhost:1/api/v1",
            "RUNNEL_AGENT_API_KEY",
            "a-key-of-sixteen-letters");

    assertThat(check(other)).isOne();
    assertThat(said()).contains("Database     ok\n");
  }

  @Test
  void theDemoAgentIsNamedWithWhatToInstall() {
    assertThat(check(Map.of("PATH", data.toString()))).isZero();
    assertThat(said())
        .contains("Agent        ok: the demo agent, which only repeats your request.")
        .contains("install claude, codex, gemini or opencode, or set RUNNEL_AGENT_COMMAND");
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-such-agent --print", "/no/such/agent", "  no-such-agent\n--print"})
  void aCommandWhoseProgramTheShellDoesNotFindIsNamed(String command) {
    assertThat(check(Map.of("RUNNEL_AGENT_COMMAND", command))).isOne();
    assertThat(said())
        .containsPattern(
            "Agent        RUNNEL_AGENT_COMMAND begins with (no-such-agent|/no/such/agent),")
        .contains("the shell finds no such program");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cat",
        "if true; then cat; fi",
        "exec cat",
        "MODEL=fast no-such-agent",
        "'no such agent'",
        "$AGENT --print",
        "(no-such-agent)",
        "./no-such-agent"
      })
  void aCommandThatTheShellFindsOrMustEvaluateIsOk(String command) {
    assertThat(check(Map.of("RUNNEL_AGENT_COMMAND", command))).isZero();
    assertThat(said()).contains("Agent        ok: your command, on this machine\n");
  }

  private void database(String name) {
    try (var database = Database.sqlite(data.resolve(name))) {
      database.migrate(SqlStore.SCHEMA);
    }
  }

  private int check(Map<String, String> settings) {
    var environment = new HashMap<>(Map.of("PATH", System.getenv("PATH")));
    environment.putAll(settings);
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    return new Main(stream, stream, environment).run(List.of("check", "--data", data.toString()));
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }
}
