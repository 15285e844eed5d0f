package dev.runnel.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.app.Main;
import dev.runnel.client.ListRuns;
import dev.runnel.client.RunsClient;
import dev.runnel.service.run.Factory;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.testkit.MockServers;
import dev.runnel.testkit.RunnelProcess;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.RunMode;
import dev.runnel.wire.RunStateValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// `./runnel run …` against a real service.
@Tag("slow")
@Timeout(60)
class RunCommandsTest {
  private static final String AGENT =
      """
      read -r line; echo "::status reading"; case "$line" in \
      slow*) sleep 300;; fail*) exit 1;; ask*) echo "::blocked Which branch?";; *) echo "Done: $line";; esac\
      """;

  private static final Factory BUILDERS =
      new Factory(
          "builders",
          "Builders",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          new Factory.Member(
              "foreman", Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
          List.of());

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private EmbeddedService service;

  @BeforeEach
  void start(@TempDir Path folder) {
    service = new EmbeddedService(folder, AGENT, List.of(BUILDERS));
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void aRunIsStartedWatchedAndShown() {
    var id = started("fix the build");

    assertThat(run("watch", id)).isZero();
    assertThat(said()).last().asString().startsWith(id + "  SUCCEEDED   fix the build");
    assertThat(run("show", id)).isZero();
    assertThat(said()).contains("Done: fix the build", "http://runnel.test/runs/" + id);
    assertThat(run("list")).isZero();
    assertThat(said()).containsExactly(id + "  SUCCEEDED   fix the build");
  }

  @Test
  void foreignTextCannotMoveTheCursorOrForgeOutputLines() {
    var title = "Tidy\n2026 ERROR\u001B]0;gotcha\u0007 \u001B[2J\u009B31mup \u202Ewen";
    assertThat(run("start", "--title", title, "say", "\u001B[31mred", "\u202Ewen")).isZero();
    var id = said().getFirst().substring("Started ".length());

    assertThat(run("watch", id)).isZero();
    assertThat(said()).last().asString().startsWith(id + "  SUCCEEDED   Tidy 2026 ERROR up wen");
    assertThat(run("list")).isZero();
    assertThat(said()).containsExactly(id + "  SUCCEEDED   Tidy 2026 ERROR up wen");
    assertThat(run("show", id)).isZero();
    assertThat(said()).noneMatch(line -> line.matches(".*[\\p{Cc}\\u202E].*"));
  }

  @Test
  void watchEndsAtAQuestionAndAFollowUpContinuesTheRun() {
    var id = started("ask me");

    assertThat(run("watch", id)).isEqualTo(3);
    assertThat(said()).last().asString().endsWith("Which branch?");
    assertThat(run("follow", id, "the", "main", "one")).isZero();
    assertThat(said()).containsExactly("Sent: the run continues with it.");
    assertThat(run("watch", id)).isZero();
    assertThat(said()).last().asString().contains("SUCCEEDED");
  }

  @Test
  void followWithANoToAPlanSaysThatTheRunHasEnded() {
    String id;
    try (var client = client()) {
      var request = CreateRun.builder().prompt("quick work").mode(RunMode.PLAN).build();
      id = client.runs().create(request).send().runId();
    }
    run("watch", id);

    assertThat(run("follow", id, "no")).isZero();
    assertThat(said()).containsExactly("Sent. The run has ended: CANCELLED");
  }

  @Test
  void cancelReportsWhetherTheRunWasStopped() {
    var id = started("slow work");

    assertThat(run("cancel", id)).isZero();
    assertThat(said()).containsExactly("Stopped " + id);
    var done = started("quick work");
    run("watch", done);
    assertThat(run("cancel", done)).isZero();
    assertThat(said()).containsExactly(done + " had already ended: SUCCEEDED");
  }

  @Test
  void aCancellationEndsARunThatWaitsForAPerson() {
    var id = started("ask me");
    run("watch", id);

    assertThat(run("cancel", id)).isZero();
    assertThat(said()).containsExactly("Stopped " + id);
  }

  @Test
  void cancelAllStopsOnlyQueuedAndRunningRuns() {
    var done = started("quick work");
    run("watch", done);
    var asks = started("ask me");
    run("watch", asks);
    var atWork = started("slow work");
    var next = started("slow as well");

    assertThat(run("cancel", "--all")).isZero();

    assertThat(said())
        .hasSize(2)
        .allMatch(line -> line.contains("CANCELLED"))
        .anyMatch(line -> line.contains(atWork))
        .anyMatch(line -> line.contains(next));
    run("list");
    assertThat(said())
        .filteredOn(line -> line.contains(done))
        .first()
        .asString()
        .contains("SUCCEEDED");
    assertThat(said())
        .filteredOn(line -> line.contains(asks))
        .first()
        .asString()
        .contains("BLOCKED");
  }

  @ParameterizedTest
  @CsvSource({"fix the build, 0", "fail at it, 1", "ask me, 3"})
  void watchAndWaitingStartExitWithTheStatusOfTheRun(String prompt, int status) {
    assertThat(run("watch", started(prompt))).isEqualTo(status);
    assertThat(run("start", prompt, "--wait")).isEqualTo(status);
    assertThat(said()).first().asString().startsWith("Started ");
    assertThat(said()).last().asString().contains(prompt);
  }

  @Test
  void aWatchOfACancelledRunExitsWithFour() {
    var id = started("slow work");
    run("cancel", id);

    assertThat(run("watch", id)).isEqualTo(4);
  }

  @Test
  void theServiceIsFoundByThePortAndTheDataFolderOfTheCommandLine(@TempDir Path data)
      throws IOException {
    Files.writeString(data.resolve("agent-api-key"), EmbeddedService.KEY);
    var port = Integer.toString(service.uri().getPort());

    assertThat(
            new Main(stream(out), stream(err), Map.of())
                .run(List.of("run", "list", "--port", port, "--data", data.toString())))
        .isZero();
    assertThat(said()).containsExactly("No runs yet.");
  }

  @Test
  void aServiceThatDoesNotRunIsNamedByItsAddress(@TempDir Path data) throws IOException {
    Files.writeString(data.resolve("agent-api-key"), EmbeddedService.KEY);
    var port = Integer.toString(RunnelProcess.freePort());

    assertThat(
            new Main(stream(out), stream(err), Map.of())
                .run(List.of("run", "list", "--port", port, "--data", data.toString())))
        .isOne();
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("Could not list runs", ":" + port + "/api/v1. Is Runnel running there?");
  }

  @Test
  void aRunIsStartedWithATitleANameAndAModel() {
    assertThat(
            run(
                "start",
                "fix it",
                "--title",
                "The build",
                "--name",
                "nightly",
                "--model",
                "fast",
                "--json"))
        .isZero();
    var id = tree(said().getFirst()).path("run_id").asText();

    assertThat(run("show", id, "--json")).isZero();
    var shown = tree(said().getFirst());
    assertThat(shown.path("title").asText()).isEqualTo("The build");
    assertThat(shown.at("/agent_config/name").asText()).isEqualTo("nightly");
    assertThat(shown.at("/agent_config/model_id").asText()).isEqualTo("fast");
  }

  @Test
  void theSourceOfARunIsTheTerminalAlsoThroughAFactory() {
    assertThatSourceIsTerminal(started("fix the build"));
    assertThatSourceIsTerminal(started("fix the build --factory builders"));
  }

  @Test
  void modelOptionWithAFactoryIsAUsageError() {
    assertThat(run("start", "fix it", "--factory", "builders", "--model", "fast")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("A factory chooses that itself: leave --model or --factory out.");
  }

  @Test
  void theBeginningOfAnIdNamesARun() {
    var id = started("fix the build");

    assertThat(run("watch", id.substring(0, 30))).isZero();
    assertThat(run("show", id.substring(0, 20))).isZero();
    assertThat(said().getFirst()).startsWith(id);
  }

  @Test
  void runListCanBeFilteredByStateAndNameOrShowAll() {
    var failed = started("fail at it");
    assertThat(run("watch", failed)).isOne();
    assertThat(run("start", "fix it", "--name", "nightly", "--wait")).isZero();

    assertThat(run("list", "--state", "failed")).isZero();
    assertThat(said()).singleElement().asString().startsWith(failed);
    assertThat(run("list", "--name", "nightly")).isZero();
    assertThat(said()).singleElement().asString().endsWith("fix it");
    assertThat(run("list", "--all")).isZero();
    assertThat(said()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"--state,failed", "--name,nightly"})
  void aListWithoutAMatchDoesNotSayThatThereAreNoRuns(String filter, String value) {
    started("fix the build");

    assertThat(run("list", filter, value)).isZero();
    assertThat(said()).containsExactly("No such runs.");
  }

  @Test
  void aFollowUpToAnAgentThatDoesNotReadWhileItWorksIsQueued() throws Exception {
    var id = started("slow work");
    try (var client = client()) {
      var changes =
          client.runs().watch(ListRuns.ALL, Duration.ofMillis(20)).since(Instant.EPOCH).stream();
      assertThat(changes.anyMatch(run -> run.state().equals(RunStateValue.INPROGRESS))).isTrue();
    }

    assertThat(run("follow", id, "and the tests")).isZero();
    assertThat(said()).containsExactly("Queued: the run continues with it when its agent is done.");
  }

  @Test
  void aWatchThatIsInterruptedSaysThatTheRunContinues() throws Exception {
    var id = started("slow work");
    var process =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Main.class.getName(),
            "run",
            "watch",
            id);
    // The settings of the tests are none of Runnel's.
    process.environment().keySet().removeIf(name -> name.startsWith("RUNNEL_"));
    process.environment().put("RUNNEL_AGENT_API_URL", service.uri() + "/api/v1");
    process.environment().put("RUNNEL_AGENT_API_KEY", EmbeddedService.KEY);
    var watch = process.start();
    try {
      assertThat(watch.inputReader().readLine()).contains(id);

      // The signal of Ctrl-C, which processes in the background ignore, has the same effect.
      watch.toHandle().destroy();

      assertThat(watch.errorReader().lines())
          .contains(
              "The run continues. ./runnel run cancel %s stops it.".formatted(id.substring(0, 8)));
    } finally {
      watch.destroyForcibly();
    }
  }

  @Test
  void aListWithAnUnknownStateIsWrongUsage() {
    assertThat(run("list", "--state", "asleep")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("There is no state asleep");
  }

  @Test
  void theBeginningOfSeveralIdsIsWrongUsage() throws IOException {
    try (var other = MockServers.create()) {
      other.enqueue(
          new MockResponse.Builder()
              .body(
                  "{\"runs\": [{\"run_id\": \"7b3f1c2e\", \"state\": \"QUEUED\"},"
                      + " {\"run_id\": \"7b3f9d00\", \"state\": \"QUEUED\"}]}")
              .build());
      other.start();

      assertThat(runAt(other.url("/api/v1").uri(), "watch", "7b3f")).isEqualTo(2);
    }
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("2 runs begin with 7b3f: give some more characters.");
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", ".."})
  void invalidRunIdIsAUsageError(String id) {
    assertThat(run("watch", id)).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("An id must not be empty");
  }

  @Test
  void logsOptionPrintsTheTranscriptOnceAndTheStateToStandardError() {
    assertThat(run("start", "fix it", "--wait", "--logs")).isZero();

    assertThat(said()).contains("Done: fix it").doesNotHaveDuplicates();
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("SUCCEEDED");
  }

  @Test
  void jsonOptionMakesAllOutputJson() {
    var id = started("fix the build");

    assertThat(run("watch", id, "--json")).isZero();
    assertThat(said())
        .allSatisfy(line -> assertThat(tree(line).path("run_id").asText()).isEqualTo(id));
    assertThat(run("list", "--json")).isZero();
    assertThat(tree(said().getFirst()).at("/runs/0/run_id").asText()).isEqualTo(id);
    assertThat(run("show", id, "--json")).isZero();
    assertThat(tree(said().getFirst()).path("state").asText()).isEqualTo("SUCCEEDED");
    assertThat(run("follow", id, "more", "--json")).isZero();
    assertThat(tree(said().getFirst()).path("outcome").asText()).isEqualTo("handoff_execution");
    assertThat(run("cancel", id, "--json")).isZero();
    assertThat(tree(said().getFirst()).path("run_id").asText()).isEqualTo(id);
    assertThat(run("start", "more", "--json")).isZero();
    assertThat(tree(said().getFirst()).path("state").asText()).isEqualTo("QUEUED");
  }

  @Test
  void refusalByTheServiceIsASentenceAndExitStatusOne() {
    assertThat(run("show", "nobody")).isOne();
    assertThat(said()).isEmpty();
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("Could not read run nobody: ")
        .contains("resource_not_found")
        .doesNotContain("Exception", EmbeddedService.KEY);
  }

  @Test
  void anEmptyPromptIsWrongUsage() {
    assertThat(run("start", " ")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("A run needs a prompt")
        .hasLineCount(1);
  }

  private void assertThatSourceIsTerminal(String id) {
    assertThat(run("show", id, "--json")).isZero();
    assertThat(tree(said().getFirst()).path("source").asText()).isEqualTo("CLI");
  }

  private String started(String prompt) {
    assertThat(
            run(
                Stream.concat(Stream.of("start"), Stream.of(prompt.split(" ")))
                    .toArray(String[]::new)))
        .isZero();
    var line = said().getFirst();
    assertThat(line).startsWith("Started ");
    return line.substring("Started ".length());
  }

  private RunsClient client() {
    return RunsClient.builder()
        .baseUrl(URI.create(service.uri() + "/api/v1"))
        .apiKey(EmbeddedService.KEY)
        .build();
  }

  private int run(String... words) {
    return runAt(URI.create(service.uri() + "/api/v1"), words);
  }

  private int runAt(URI api, String... words) {
    out.reset();
    err.reset();
    var environment =
        Map.of("RUNNEL_AGENT_API_URL", api.toString(), "RUNNEL_AGENT_API_KEY", EmbeddedService.KEY);
    return new Main(stream(out), stream(err), environment)
        .run(Stream.concat(Stream.of("run"), Stream.of(words)).toList());
  }

  private List<String> said() {
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static JsonNode tree(String json) {
    try {
      return new ObjectMapper().readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }
}
