package dev.runnel.service.execution;

import static dev.runnel.service.RunningService.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.Living;
import dev.runnel.service.RunningService;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.process.ProcessTree;
import dev.runnel.service.run.TranscriptLine;
import dev.runnel.service.store.RunTable;
import dev.runnel.testkit.FakeModel;
import dev.runnel.testkit.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What every real coding agent does as an agent of the embedded service.
interface RealAgentContract {
  Pattern ANSWER = Pattern.compile("Done\\. I saw (\\d+) messages");

  RealAgent agent(FakeModel model);

  /// Whether it tells of a tool when it begins to use it, not only afterwards.
  default boolean tellsWhatItIsDoing() {
    return true;
  }

  @Test
  default void agentChangesItsWorkspaceAndContinuesItsSession(@TempDir Path folder)
      throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var id = stage.create("Please touch the file");
      var first = messages(stage.awaitEnd(id, "SUCCEEDED"));
      assertThat(stage.touched(id)).isEqualTo("touched\n");

      stage.service.followUp(id, "And once more");
      var second = messages(stage.awaitEnd(id, "SUCCEEDED"));

      assertThat(second).isGreaterThan(first);
      assertThat(stage.touched(id)).isEqualTo("touched\ntouched\n");
      assertThat(stage.kinds(id, TranscriptLine.Kind.DID))
          .hasSize(2)
          .allSatisfy(text -> assertThat(text).contains(FakeModel.USUAL_COMMAND));
      assertThat(stage.kinds(id, TranscriptLine.Kind.SAID)).anyMatch(ANSWER.asPredicate());
      assertThat(stage.kinds(id, TranscriptLine.Kind.NOTE))
          .isNotEmpty()
          .allMatch(text -> text.startsWith("The model read "));
      assertThat(stage.model.asked())
          .allMatch(asked -> asked.key().orElse("").contains("fake-key"));
    }
  }

  /// Whether it takes messages while it works.
  default boolean acceptsMessages() {
    return false;
  }

  @Test
  default void agentGetsALaterMessageExactlyOnce(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var id =
          stage.create("Take your time\nsh: touch started; while [ ! -e go ]; do sleep 0.1; done");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.exists(stage.workspace(id).resolve("started")));
      var outcome = stage.service.followUp(id, "Mind the docs\nsh: true").get("outcome").asText();

      assertThat(outcome).isEqualTo(acceptsMessages() ? "live_session" : "queue_pending");
      assertThat(stage.service.run(id).get("pending_followups")).hasSize(1);
      Files.createFile(stage.workspace(id).resolve("go"));
      stage.awaitEnd(id, "SUCCEEDED");

      assertThat(stage.service.run(id).get("pending_followups")).isEmpty();
      assertThat(stage.kinds(id, TranscriptLine.Kind.ASKED)).hasSize(2);
      assertThat(stage.executions(id)).isEqualTo(acceptsMessages() ? 1 : 2);
      assertThat(String.join("\n", said(stage.model.asked().getLast().body())))
          .containsOnlyOnce("Mind the docs");
    }
  }

  @Test
  default void agentGetsTheEarlierMessagesOfAContinuedConversation(@TempDir Path folder)
      throws IOException {
    try (var stage = Stage.open(folder, this)) {
      var first = stage.create("Please touch the file");
      var conversation = stage.awaitEnd(first, "SUCCEEDED").get("conversation_id");
      var body = JSON.createObjectNode().put("prompt", "And once more");
      body.set("conversation_id", conversation);
      body.set("config", stage.config());
      stage.awaitEnd(stage.service.create(body), "SUCCEEDED");

      assertThat(stage.model.asked())
          .anySatisfy(
              asked ->
                  assertThat(String.join("\n", said(asked.body())))
                      .contains("Please touch the file", "Done. I saw ", "And once more"));
    }
  }

  @Test
  default void promptReachesTheModelByteForByte(@TempDir Path folder) throws IOException {
    var prompt =
        "\"quotes\" 'and' `ticks` $(touch x) \\ %s @nobody\n\n\ttab \u202Eאבג \uD83D\uDE00\n"
            + "    if (a < b && c > d) { return \"é\"; } // <xml/> & co\n".repeat(2000)
            + "the end";
    assertThat(prompt.getBytes(StandardCharsets.UTF_8)).hasSizeGreaterThan(100_000);
    try (var stage = Stage.open(folder, this)) {
      var id = stage.create(prompt);
      stage.awaitEnd(id, "SUCCEEDED");

      assertThat(said(stage.model.asked().getFirst().body())).contains(prompt);
      assertThat(Files.exists(stage.workspace(id).resolve("x"))).isFalse();
    }
  }

  @Test
  default void cancelledAgentLeavesNoProcessBehind(@TempDir Path folder) throws IOException {
    var seconds = "300." + ThreadLocalRandom.current().nextInt(100_000, 1_000_000);
    try (var stage = Stage.open(folder, this)) {
      var id = stage.create("Take your time\nsh: touch started; sleep " + seconds);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> Files.exists(stage.workspace(id).resolve("started")));
      assertThat(running(seconds)).isNotEmpty();
      if (tellsWhatItIsDoing()) {
        await()
            .untilAsserted(
                () ->
                    assertThat(stage.service.message(id))
                        .startsWith("Running: ")
                        .contains("touch started; sleep " + seconds));
      }

      assertThat(stage.service.cancel(id).statusCode()).isEqualTo(200);

      // On a busy machine the processes may need longer to end than the request waits.
      stage.service.awaitState(id, "CANCELLED");
      assertThat(running(seconds)).isEmpty();
      assertThat(
              ProcessTree.ofOrphan(
                      new RunTable.ClaimedExecution(
                          id, 1, "", "", Optional.empty(), Optional.empty()))
                  .isEmpty())
          .isTrue();
      // What was said before is not lost for whoever goes on with it.
      stage.service.followUp(id, "Only touch it\nsh: " + FakeModel.USUAL_COMMAND);
      stage.awaitEnd(id, "SUCCEEDED");
      assertThat(stage.touched(id)).isEqualTo("touched\n");
    }
  }

  @Test
  default void agentGetsToolServersModelAndPromptWithoutExposingSecrets(@TempDir Path folder)
      throws IOException {
    var secret = "s3cret-" + ThreadLocalRandom.current().nextLong();
    var found = folder.resolve("found.json");
    try (var stage = Stage.open(folder, this)) {
      var config = stage.config();
      config.put("base_prompt", "You speak like \"a pirate\".\nAlways.");
      config.put("model_id", stage.agent.model());
      var server = config.putObject("mcp_servers").putObject("tick tock");
      server.put("command", "node");
      server.putArray("args").add(RealAgents.toolServer().toString()).add(found.toString());
      server.putObject("env").put("TOOL_SECRET", secret);
      var id = stage.create("Please touch the file", config);
      stage.awaitEnd(id, "SUCCEEDED");

      var seen = JSON.readTree(Files.readString(found));
      assertThat(seen.get("secret").asText()).isEqualTo(secret);
      assertThat(seen.get("exposed")).isEmpty();
      var asked = stage.model.asked().getLast();
      assertThat(said(asked.body())).anyMatch(text -> text.contains("like \"a pirate\".\nAlways."));
      assertThat(asked.body().findValuesAsText("name")).anyMatch(name -> name.contains("ping"));
      assertThat(asked.path() + asked.body().path("model"))
          .contains(stage.agent.model().replaceAll("^.*/", ""));
      assertThat(files(folder)).noneMatch(file -> holds(file, secret));
    }
  }

  @Test
  default void agentReportsThatItsModelRefusesTheLogin(@TempDir Path folder) throws IOException {
    try (var stage = Stage.open(folder, this)) {
      stage.model.failWith(401);
      var run = stage.awaitEnd(stage.create("Please touch the file"), "FAILED");

      assertThat(run.at("/status_message/message").asText()).contains("401");
      assertThat(run.get("status_message").has("error_code")).isFalse();
      assertThat(run.path("error_category").asText()).isEqualTo("agent");
    }
  }

  private static int messages(JsonNode run) {
    var answer = ANSWER.matcher(run.at("/status_message/message").asText());
    assertThat(answer.matches()).as(run.toString()).isTrue();
    return Integer.parseInt(answer.group(1));
  }

  /// Every text in a request.
  private static List<String> said(JsonNode body) {
    return Stream.of("text", "content", "instructions")
        .flatMap(member -> body.findValues(member).stream())
        .filter(JsonNode::isTextual)
        .map(JsonNode::asText)
        .toList();
  }

  private static List<Long> running(String mark) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                Living.is(Long.toString(process.pid()))
                    && process.info().commandLine().orElse("").contains(mark))
        .map(ProcessHandle::pid)
        .toList();
  }

  private static List<Path> files(Path folder) throws IOException {
    // The data base keeps the configuration, to show it and to go on with it.
    try (var all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("agent-runs.db"))
          .filter(file -> !file.getFileName().toString().equals("found.json"))
          .toList();
    }
  }

  private static boolean holds(Path file, String text) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text);
    } catch (IOException e) {
      return false;
    }
  }

  /// A model, an agent that asks it, and a service in which it works.
  record Stage(FakeModel model, RealAgent agent, RunningService service, Path folder)
      implements AutoCloseable {
    static Stage open(Path folder, RealAgentContract contract) throws IOException {
      return open(folder, contract::agent, _ -> new Isolation.None());
    }

    /// @param isolation made of the operator's variables
    static Stage open(
        Path folder,
        Function<FakeModel, RealAgent> agents,
        Function<Map<String, String>, Isolation> isolation)
        throws IOException {
      var path = RealAgents.path();
      var model = FakeModel.start();
      var agent = agents.apply(model);
      var home = Files.createDirectory(folder.resolve("home"));
      agent.settleIn(home);
      var environment = new HashMap<>(agent.environment());
      environment.putAll(
          Map.of(
              "HOME",
              home.toString(),
              "PATH",
              path + ":" + System.getenv("PATH"),
              "LANG",
              "C.UTF-8"));
      return new Stage(
          model,
          agent,
          RunningService.inOnlyThisEnvironment(
              folder,
              environment,
              agent.access(),
              isolation.apply(environment),
              egress(model, environment)),
          folder);
    }

    /// The model's address in a variable needs no mention; that in a file of the agent's does.
    private static EgressSetting egress(FakeModel model, Map<String, String> environment) {
      return environment.keySet().stream().anyMatch(name -> name.endsWith("BASE_URL"))
          ? EgressSetting.PUBLIC
          : new EgressSetting(List.of("internal:127.0.0.1:" + model.uri().getPort()));
    }

    ObjectNode config() {
      var config = JSON.createObjectNode();
      config.putObject("harness").put("type", agent.name());
      config.put("model_id", agent.model());
      return config;
    }

    String create(String prompt) {
      return create(prompt, config());
    }

    String create(String prompt, ObjectNode config) {
      var body = JSON.createObjectNode().put("prompt", prompt);
      body.set("config", config);
      return service.create(body);
    }

    JsonNode awaitEnd(String id, String state) {
      await()
          .atMost(Duration.ofSeconds(90))
          .until(() -> !List.of("QUEUED", "INPROGRESS").contains(service.state(id)));
      var run = service.run(id);
      assertThat(run.get("state").asText())
          .as(run + "\n" + service.transcript(id))
          .isEqualTo(state);
      return run;
    }

    int executions(String id) {
      return service.service.transcript(id, 0).orElseThrow().lines().stream()
          .mapToInt(TranscriptLine::execution)
          .max()
          .orElse(0);
    }

    Path workspace(String id) {
      return folder.resolve("workspaces").resolve(id);
    }

    String touched(String id) throws IOException {
      return Files.readString(workspace(id).resolve("touched.txt"));
    }

    List<String> kinds(String id, TranscriptLine.Kind kind) {
      return service.service.transcript(id, 0).orElseThrow().lines().stream()
          .filter(line -> line.kind() == kind)
          .map(TranscriptLine::text)
          .toList();
    }

    @Override
    public void close() {
      service.close();
      model.close();
    }
  }
}
