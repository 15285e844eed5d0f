package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.server.MemoryLine;
import dev.runnel.app.server.RunnelServer;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Settings;
import dev.runnel.database.Database;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.RunnelProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `./runnel check` without a platform and without a database server.
class CheckCommandTest {
  private static final int PAGE = 4096;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @TempDir Path data;
  @TempDir Path settings;

  @Test
  void filesOfDatabasesThatAreIntactAreOk() {
    database("runnel.db");
    database("agent-runs.db");

    assertThat(check(Map.of())).isZero();
    assertThat(said()).contains("Database     ok\n");
  }

  @Test
  void memoryIsTheHeapTheSumOfItsSharesAndEachOfThem() {
    check(Map.of());

    assertThat(said())
        .containsPattern(
            "Memory       heap \\d+ MiB, \\d+ MiB of it for what waits: \\d+ for runs, \\d+ for"
                + " requests with proof, ");
    assertThat(MemoryLine.of(MemoryBudget.of(256L << 20)))
        .isEqualTo(
            "heap 256 MiB, 128 MiB of it for what waits: 48 for runs, 32 for requests with proof,"
                + " 16 for requests without proof, 16 for readers, 16 for work in the background");
  }

  @Test
  void missingDatabaseFilesAreOkAndNotCreated() {
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
  void runsDatabaseIsNotCheckedWithAnExternalService() throws IOException {
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

  @Test
  void theIsolationIsPrintedAndNoneIsFineWhileOthersCannotStartAgents() {
    assertThat(check(Map.of("PATH", data.toString()))).isZero();
    assertThat(said()).contains("Isolation    none: agents can read and change all that");
  }

  @Test
  void isolationThatTheNextStartRequiresIsNamed() throws IOException {
    assertThat(
            check(
                withFile(
                    """
                    hooks:
                      alerts:
                        proof: {kind: bearer, secret: [a-secret-of-the-hook]}
                        template: "Look at {/title}"
                    """)))
        .isOne();
    assertThat(said())
        .contains(
            "Isolation    RUNNEL_AGENTS_ISOLATION (agents.isolation) is auto, and bubblewrap does"
                + " not work here");
  }

  @Test
  void theVersionOfGitIsPrinted() {
    assertThat(check(Map.of())).isZero();
    assertThat(said()).containsPattern("Git          ok: git version \\d");
  }

  @Test
  void gitIsMissedByEnvironmentsWithRepositoriesOnly() throws IOException {
    assertThat(check(Map.of("PATH", data.toString()))).isZero();
    assertThat(said()).contains("Git          ok: there is none");
    out.reset();

    assertThat(
            check(
                withFile(
                    """
                    agents:
                      environments:
                        shop:
                          repositories: [acme/shop]
                    """)))
        .isOne();
    assertThat(said()).contains("Git          does not work").contains("Install git");
  }

  @Test
  void aPortThatSomethingElseHasIsNamedWithTheRemedy() throws IOException {
    try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var port = Integer.toString(other.getLocalPort());

      assertThat(check(Map.of("PORT", port))).isOne();
      assertThat(said())
          .contains("Port         Port %s on 127.0.0.1 is not free. Stop what".formatted(port));
    }
  }

  @Test
  @Tag("slow")
  void aPortAtWhichRunnelAnswersOrThatIsFreeIsOk() {
    var port = Integer.toString(RunnelProcess.freePort());
    assertThat(check(Map.of("PORT", port))).isZero();
    assertThat(said()).contains("Port         ok: %s is free\n".formatted(port));
    out.reset();

    var environment =
        Map.of(
            "PATH",
            data.toString(),
            "PORT",
            port,
            "RUNNEL_DATA",
            data.toString(),
            "RUNNEL_AGENTS_USER",
            AgentUsers.own());
    var settings = Settings.read(environment, Optional.empty(), Map.of());
    try (var _ = RunnelServer.start(Config.of(settings), environment, InstantSource.system())) {
      assertThat(check(Map.of("PORT", port))).isZero();
    }
    assertThat(said()).contains("Port         ok: Runnel answers on %s\n".formatted(port));
  }

  /// Without any program.
  private Map<String, String> withFile(String yaml) throws IOException {
    var file = Files.writeString(settings.resolve("runnel.yaml"), yaml);
    return Map.of("PATH", data.toString(), "RUNNEL_CONFIG", file.toString());
  }

  private void database(String name) {
    try (var database = Database.sqlite(data.resolve(name))) {
      database.migrate(SqlStore.SCHEMA);
    }
  }

  private int check(Map<String, String> settings) {
    var environment = new HashMap<>(Map.of("PATH", System.getenv("PATH"), "PORT", "0"));
    environment.put("RUNNEL_AGENTS_USER", AgentUsers.own());
    environment.putAll(settings);
    var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    return new Main(stream, stream, environment).run(List.of("check", "--data", data.toString()));
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }
}
