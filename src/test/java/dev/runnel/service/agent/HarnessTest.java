package dev.runnel.service.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.agent.AgentEvent.Answer;
import dev.runnel.service.agent.AgentEvent.Choice;
import dev.runnel.service.agent.AgentEvent.CommandEnded;
import dev.runnel.service.agent.AgentEvent.Failure;
import dev.runnel.service.agent.AgentEvent.FileWritten;
import dev.runnel.service.agent.AgentEvent.Finished;
import dev.runnel.service.agent.AgentEvent.InputLine;
import dev.runnel.service.agent.AgentEvent.Message;
import dev.runnel.service.agent.AgentEvent.MessageRead;
import dev.runnel.service.agent.AgentEvent.Plan;
import dev.runnel.service.agent.AgentEvent.Question;
import dev.runnel.service.agent.AgentEvent.Session;
import dev.runnel.service.agent.AgentEvent.Status;
import dev.runnel.service.agent.AgentEvent.ToolResult;
import dev.runnel.service.agent.AgentEvent.ToolUse;
import dev.runnel.service.agent.AgentEvent.UsageReport;
import dev.runnel.service.agent.Dialogue.PermissionRequest;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ToolCall;
import dev.runnel.service.run.Usage;
import dev.runnel.service.workspace.PermissionRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// What agents print, as they printed it: the files in `src/test/resources/agents` are recorded.
class HarnessTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ExecutionRequest REQUEST =
      ExecutionRequest.internal("run").withPrompt("Fix it");
  private static final LaunchFiles FILES =
      new LaunchFiles(
          Path.of("desk"),
          Path.of("workspace"),
          Map.of(),
          AgentAccess.FULL,
          PermissionRules.NONE,
          false,
          true);
  private static final Dialogue.WithPermissions CLAUDE =
      new ClaudeAgent().outputParser(REQUEST, FILES);

  @Nested
  class TheCommandAgent {
    @Test
    void markedLinesOfACommandAgentSetItsStatusAndQuestion() {
      assertThat(
              parse(
                  new CommandAgent("command", "x"),
                  "::status reading",
                  "::blocked Which branch?",
                  "::option main",
                  " ::status quoted",
                  "text"))
          .containsExactly(
              new Status("reading"),
              new Question("Which branch?"),
              new Choice("main"),
              new Message(" ::status quoted"),
              new Message("text"));
    }
  }

  @Nested
  class Claude {
    @Test
    void claudeReportsItsSessionToolsAndCost() {
      assertThat(recorded(new ClaudeAgent(), "claude/work.jsonl"))
          .containsExactly(
              new Session("f08b0ad6-1213-4361-9bca-ffd04ea98ffb"),
              new ToolUse("Bash", "echo touched >> touched.txt"),
              new CommandEnded("echo touched >> touched.txt", Optional.of(0)),
              new ToolResult("(Bash completed with no output)", false),
              new Message("Done. I saw 4 messages"),
              new UsageReport(new Usage(200, 40, Optional.of(new BigDecimal("0.003")), false)),
              new Answer("Done. I saw 4 messages"),
              new Finished());
    }

    @Test
    void claudeReportsReadMessagesAndTheCostOfEachTurn() {
      var claude = new ClaudeAgent().outputParser(REQUEST, FILES);

      assertThat(claude.message("id-1", "say \"hi\"\n"))
          .hasValue(
              "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                  + "\"text\":\"say \\\"hi\\\"\\n\"}]},\"uuid\":\"id-1\"}");
      assertThat(recorded(new ClaudeAgent(), "claude/steered.jsonl"))
          .filteredOn(event -> event instanceof MessageRead || event instanceof UsageReport)
          .containsExactly(
              new MessageRead("8f99745b-7bab-4084-87b1-9acd555afc17"),
              new MessageRead("1891eef2-c23b-441c-b591-d2425dd47b9b"),
              new UsageReport(new Usage(200, 40, Optional.of(new BigDecimal("0.002")), false)),
              new MessageRead("db8cd887-70a7-4cac-863d-5f0cba8d8efd"),
              new UsageReport(new Usage(200, 40, Optional.of(new BigDecimal("0.002")), false)));
    }

    @Test
    void claudeSuccessResultWithAnApiErrorIsAFailure() {
      assertThat(recorded(new ClaudeAgent(), "claude/refused.jsonl"))
          .contains(new Status("The model does not answer (401), trying again: 1 of 10"))
          .endsWith(
              new Failure("Failed to authenticate. API Error: 401 The fake model answers 401"))
          .doesNotContain(new Finished());
      assertThat(recorded(new ClaudeAgent(), "claude/broken.jsonl").getLast())
          .isInstanceOfSatisfying(
              Failure.class, failure -> assertThat(failure.why()).startsWith("API Error: 500"));
    }

    @Test
    void claudeRequestsAPermissionAndEndsAtAnInterruption() throws IOException {
      var requests = requests("claude/asked.jsonl");
      var call =
          new ToolCall(
              "Bash",
              (ObjectNode)
                  JSON.readTree(
                      "{\"command\":\"echo touched >> touched.txt\",\"description\":\"Does what was"
                          + " asked\"}"));

      assertThat(requests)
          .containsExactly(
              new PermissionRequest("f8237cb8-84d1-45dc-908a-c3c5b15cac37", Optional.of(call)));
      assertThat(recorded(new ClaudeAgent(), "claude/asked.jsonl").getLast())
          .isEqualTo(new Failure("An error interrupted the agent."));
      assertThat(CLAUDE.refuse("r1", "Wait \"here\"", true))
          .isEqualTo(
              "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"r1\",\"response\":{\"behavior\":\"deny\",\"message\":\"Wait"
                  + " \\\"here\\\"\",\"interrupt\":true}}}");
    }

    @Test
    void claudeMakesAPermittedCall() throws IOException {
      var request = requests("claude/permitted.jsonl").getFirst();

      assertThat(CLAUDE.permit(request.id(), request.call().orElseThrow()))
          .isEqualTo(line("claude/permitted.jsonl", "control_response"));
      assertThat(recorded(new ClaudeAgent(), "claude/permitted.jsonl"))
          .contains(
              new CommandEnded("echo touched >> touched.txt", Optional.of(0)), new Finished());
    }

    @Test
    void claudeToolOutputIsNotAPermissionRequest() {
      var request =
          """
          {"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool",\
          "tool_name":"Bash","input":{},"decision_reason_type":"rule"}}\
          """;
      var output =
          JSON.createObjectNode().put("type", "user").set("message", JSON.valueToTree(request));

      assertThat(CLAUDE.permissionRequest(request)).isPresent();
      assertThat(CLAUDE.permissionRequest(output.toString())).isEmpty();
      assertThat(CLAUDE.permissionRequest("I say " + request)).isEmpty();
      assertThat(CLAUDE.permissionRequest(request.replace("can_use_tool", "other"))).isEmpty();
    }

    @Test
    void requestWithAnIdOfNineHundredKilobytesIsNotAnswered() throws IOException {
      var request =
          """
          {"type":"control_request","request_id":"%s","request":{"subtype":"can_use_tool",\
          "tool_name":"Bash","input":{"command":"ls"},"decision_reason_type":"rule"}}\
          """
              .formatted("r".repeat(900_000));

      assertThat(CLAUDE.permissionRequest(request)).isEmpty();
      assertThat(
              new CodexAgent()
                  .outputParser(REQUEST, FILES)
                  .parse("{\"id\":\"%s\",\"method\":\"approve\"}".formatted("r".repeat(900_000))))
          .isEmpty();
    }

    @Test
    void smallerTotalCostTakesNothingBack() {
      var claude = new ClaudeAgent().outputParser(REQUEST, FILES);

      assertThat(dollars(claude, "2.5")).contains(new BigDecimal("2.5"));
      assertThat(dollars(claude, "0.1")).isEmpty();
      assertThat(dollars(claude, "3.0")).contains(new BigDecimal("0.5"));
    }

    @Test
    void numbersThatNoAgentUsesAreLimited() {
      var claude = new ClaudeAgent().outputParser(REQUEST, FILES);

      assertThat(dollars(claude, "1e300")).contains(new BigDecimal("1000000000"));
      assertThat(new Usage(-5, Long.MAX_VALUE, Optional.empty(), false))
          .isEqualTo(new Usage(0, 1_000_000_000_000L, Optional.empty(), false));
    }

    private static Optional<BigDecimal> dollars(Dialogue claude, String total) {
      var events =
          claude.parse(
              "{\"type\":\"result\",\"result\":\"x\",\"total_cost_usd\":%s}".formatted(total));
      return events.stream()
          .filter(UsageReport.class::isInstance)
          .map(event -> ((UsageReport) event).usage().dollars().orElse(null))
          .filter(Objects::nonNull)
          .findFirst();
    }

    @Test
    void lineOfManySmallValuesIsNotParsedIntoATree() {
      var line = "{\"type\":\"result\",\"result\":\"x\",\"more\":[" + "{},".repeat(300_000) + "1]}";

      assertThat(CLAUDE.parse(line)).isEmpty();
    }

    @Test
    void claudePermissionRequestWithoutARuleNamesNoCall() {
      var outside =
          """
          {"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool",\
          "tool_name":"Write","input":{"file_path":"/etc/x"},"blocked_path":"/etc/x"}}\
          """;

      assertThat(CLAUDE.permissionRequest(outside))
          .hasValue(new PermissionRequest("r", Optional.empty()));
      assertThat(CLAUDE.permissionRequest(outside.substring(0, 90) + "…"))
          .hasValue(new PermissionRequest("r", Optional.empty()));
    }

    @Test
    void aRequestWhoseInputIsNoObjectNamesNoCall() {
      for (var input : List.of("\"npm publish\"", "[\"npm publish\"]", "null", "7")) {
        var request =
            """
            {"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool",\
            "tool_name":"Bash","input":%s,"decision_reason_type":"rule"}}\
            """
                .formatted(input);

        assertThat(CLAUDE.permissionRequest(request))
            .hasValue(new PermissionRequest("r", Optional.empty()));
        assertThat(CLAUDE.permissionRequest(request.replace("\"input\"", "\"inputs\"")))
            .hasValue(new PermissionRequest("r", Optional.empty()));
      }
    }

    private static List<PermissionRequest> requests(String file) throws IOException {
      return Files.readAllLines(Path.of("src/test/resources/agents", file)).stream()
          .flatMap(line -> CLAUDE.permissionRequest(line).stream())
          .toList();
    }

    private static String line(String file, String type) throws IOException {
      return Files.readAllLines(Path.of("src/test/resources/agents", file)).stream()
          .filter(line -> line.startsWith("{\"type\":\"" + type))
          .findFirst()
          .orElseThrow();
    }

    @Test
    void agentReportsItsPlanAndWrittenFiles() {
      assertThat(
              parse(
                  new ClaudeAgent(),
                  """
                  {"type":"assistant","message":{"content":[\
                  {"type":"tool_use","name":"TodoWrite","input":{"todos":[\
                  {"content":"Read","status":"completed"},{"content":"Write","status":"pending"}]}},\
                  {"type":"tool_use","name":"Write","input":{"file_path":"/w/a.txt","content":"a"}}]}}\
                  """))
          .contains(
              new Plan("[x] Read\n[ ] Write"),
              new ToolUse("Write", "/w/a.txt"),
              new FileWritten("/w/a.txt"));
    }
  }

  @Nested
  class Codex {
    @Test
    void codexReportsItsThreadCommandsAndTotalUsage() {
      assertThat(recorded(new CodexAgent(), "codex/work.jsonl"))
          .containsExactly(
              new Session("01a1fd38-40b7-7103-92dd-13bc15d3dd32"),
              new ToolUse("shell", "/bin/bash -lc 'sleep 1; echo hi; exit 3'"),
              new CommandEnded("/bin/bash -lc 'sleep 1; echo hi; exit 3'", Optional.of(3)),
              new ToolResult("hi\n", true),
              new Message("Done. I saw 12 messages"),
              new Answer("Done. I saw 12 messages"),
              new UsageReport(new Usage(400, 80, Optional.empty(), true)),
              new Finished());
    }

    @Test
    void codexRetriesBeforeItFails() {
      assertThat(recorded(new CodexAgent(), "codex/refused.jsonl"))
          .endsWith(
              new Failure(
                  "unexpected status 401 Unauthorized: The fake model answers 401, url:"
                      + " http://127.0.0.1:4777/v1/responses"))
          .doesNotContain(new Finished());
      assertThat(recorded(new CodexAgent(), "codex/broken.jsonl"))
          .filteredOn(Status.class::isInstance)
          .hasSize(6);
    }

    @Test
    void agentReportsItsPlanAndWrittenFiles() {
      assertThat(
              parse(
                  new CodexAgent(),
                  """
                  {"type":"item.updated","item":{"type":"todo_list","items":[\
                  {"text":"Read","completed":true},{"text":"Write","completed":false}]}}\
                  """,
                  """
                  {"type":"item.completed","item":{"type":"file_change","changes":[\
                  {"path":"/w/a.txt","kind":"add"},{"path":"/w/b.txt","kind":"update"}]}}\
                  """))
          .containsExactly(
              new Plan("[x] Read\n[ ] Write"),
              new ToolUse("add", "/w/a.txt"),
              new FileWritten("/w/a.txt"),
              new ToolUse("update", "/w/b.txt"));
    }

    @Test
    void codexReadsAMessageAtItsNextStepAndALateOneInANewTurn() throws IOException {
      var codex = new CodexAgent().outputParser(REQUEST, FILES);
      var events = new ArrayList<AgentEvent>();
      for (var line :
          Files.readAllLines(Path.of("src/test/resources/agents/codex/app-server.jsonl"))) {
        var acceptsMessages = codex.message("fu-0", "").isPresent();
        events.addAll(codex.parse(line));
        if (line.contains("\"turn/started\"") && !acceptsMessages) {
          codex.message("fu-1", "mind the docs");
          codex.message("fu-2", "too late");
        }
      }

      var thread = "01a20b96-148b-7f62-b54b-5c9f24bfa055";
      assertThat(codex.message("fu-3", "after the end")).isEmpty();
      assertThat(events)
          .filteredOn(event -> !(event instanceof UsageReport) && !(event instanceof ToolResult))
          .containsExactly(
              new InputLine(
                  "{\"id\":\"thread\",\"method\":\"thread/start\",\"params\":{\"config\":{}}}"),
              turn(thread, "Fix it", ""),
              new Session(thread),
              new ToolUse("shell", "/bin/bash -lc 'echo hi; sleep 3'"),
              new CommandEnded("/bin/bash -lc 'echo hi; sleep 3'", Optional.of(0)),
              new MessageRead("fu-1"),
              new ToolUse("shell", "/bin/bash -lc 'echo touched >> touched.txt'"),
              new CommandEnded("/bin/bash -lc 'echo touched >> touched.txt'", Optional.of(0)),
              new Message("Done. I saw 9 messages"),
              new Answer("Done. I saw 9 messages"),
              new Finished(),
              turn(thread, "too late", ",\"clientUserMessageId\":\"fu-2\""),
              new Session(thread),
              new MessageRead("fu-2"),
              new ToolUse("shell", "/bin/bash -lc 'echo touched >> touched.txt'"),
              new CommandEnded("/bin/bash -lc 'echo touched >> touched.txt'", Optional.of(0)),
              new Message("Done. I saw 13 messages"),
              new Answer("Done. I saw 13 messages"),
              new Finished());
      assertThat(events)
          .filteredOn(UsageReport.class::isInstance)
          .last()
          .isEqualTo(new UsageReport(new Usage(500, 100, Optional.empty(), true)));
    }

    private static InputLine turn(String thread, String text, String more) {
      return new InputLine(
          "{\"id\":\"turn\",\"method\":\"turn/start\",\"params\":{\"threadId\":\""
              + thread
              + "\",\"input\":[{\"type\":\"text\",\"text\":\""
              + text
              + "\"}]"
              + more
              + "}}");
    }

    @Test
    void codexMessageSteersTheCurrentTurn() throws IOException {
      var codex = new CodexAgent().outputParser(REQUEST, FILES);
      codex.parse("{\"id\":\"thread\",\"result\":{\"thread\":{\"id\":\"t\"}}}");
      assertThat(codex.message("fu-1", "wait")).isEmpty();
      codex.parse(told("turn/started", "t", "\"turn\":{\"id\":\"u\"}"));
      codex.parse(told("turn/completed", "of a subagent", "\"turn\":{\"status\":\"completed\"}"));

      assertThat(codex.message("fu-1", "mind the docs"))
          .hasValue(
              "{\"id\":\"fu-1\",\"method\":\"turn/steer\",\"params\":{\"threadId\":\"t\",\"input\":[{\"type\":\"text\",\"text\":\"mind"
                  + " the docs\"}],\"clientUserMessageId\":\"fu-1\",\"expectedTurnId\":\"u\"}}");
    }

    @Test
    void codexSessionExistsOnlyAfterTheFirstTurnHasStarted() {
      var opened = "{\"id\":\"thread\",\"result\":{\"thread\":{\"id\":\"t\"}}}";

      assertThat(parse(new CodexAgent(), opened)).doesNotContain(new Session("t"));
      assertThat(
              parse(new CodexAgent(), opened, told("turn/started", "t", "\"turn\":{\"id\":\"u\"}")))
          .contains(new Session("t"));
    }

    @Test
    void codexQuestionsAreRefusedAndItsFailuresAreReported() {
      assertThat(
              parse(
                  new CodexAgent(),
                  "{\"id\":7,\"method\":\"mcpServer/elicitation/request\",\"params\":{}}",
                  "{\"id\":\"thread\",\"error\":{\"code\":-32600,\"message\":\"no rollout"
                      + " found\"}}",
                  told(
                      "error",
                      "",
                      "\"error\":{\"message\":\"Again\",\"additionalDetails\":\"401\"}"),
                  told("turn/completed", "", "\"turn\":{\"status\":\"interrupted\"}")))
          .containsExactly(
              new InputLine(
                  "{\"id\":7,\"error\":{\"code\":-32601,\"message\":\"No person can"
                      + " answer here.\"}}"),
              new Failure("no rollout found"),
              new Status("Again (401)"),
              new Failure("The turn was interrupted."));
    }

    @Test
    void codexAppServerReportsItsPlanAndWrittenFiles() {
      assertThat(
              parse(
                  new CodexAgent(),
                  told(
                      "turn/plan/updated",
                      "",
                      "\"plan\":[{\"step\":\"Read\",\"status\":\"completed\"},"
                          + "{\"step\":\"Write\",\"status\":\"inProgress\"}]"),
                  told(
                      "item/completed",
                      "",
                      "\"item\":{\"type\":\"fileChange\",\"changes\":["
                          + "{\"path\":\"/w/a.txt\",\"kind\":{\"type\":\"add\"}}]}")))
          .containsExactly(
              new Plan("[x] Read\n[ ] Write"),
              new ToolUse("add", "/w/a.txt"),
              new FileWritten("/w/a.txt"));
    }

    private static String told(String method, String thread, String params) {
      return "{\"method\":\"%s\",\"params\":{\"threadId\":\"%s\",%s}}"
          .formatted(method, thread, params);
    }
  }

  @Nested
  class Gemini {
    @Test
    void geminiChunksOfManyLinesAreSplitInOnePass() {
      var gemini = new GeminiAgent().outputParser(REQUEST, FILES);
      var chunk =
          JSON.createObjectNode()
              .put("type", "message")
              .put("role", "assistant")
              .put("content", "a\n\n".repeat(200_000) + "end");

      assertThat(gemini.parse(chunk.toString()))
          .containsExactly(new Message("a\n\n".repeat(200_000)));
      assertThat(gemini.parse("{\"type\":\"result\",\"status\":\"success\"}"))
          .startsWith(new Message("end"));
    }

    @Test
    void geminiReportsItsSessionToolsAndTokens() {
      assertThat(recorded(new GeminiAgent(), "gemini/work.jsonl"))
          .containsExactly(
              new Session("0324b4e4-8706-41ce-a599-df3981d1bd98"),
              new ToolUse("run_shell_command", "sleep 1; echo hi; exit 3"),
              new CommandEnded("sleep 1; echo hi; exit 3", Optional.empty()),
              new ToolResult("hi", false),
              new Message("Done. I saw 7 messages"),
              new UsageReport(new Usage(200, 40, Optional.empty(), false)),
              new Answer("Done. I saw 7 messages"),
              new Finished());
    }

    @Test
    void geminiAnswerIsAssembledFromItsDeltas() {
      assertThat(
              parse(
                  new GeminiAgent(),
                  """
                  {"type":"message","role":"assistant","content":"Let me see","delta":true}\
                  """,
                  """
                  {"type":"tool_use","tool_name":"write_file","parameters":{"file_path":"a.txt"}}\
                  """,
                  """
                  {"type":"message","role":"assistant","content":"All\\ndo","delta":true}\
                  """,
                  """
                  {"type":"message","role":"assistant","content":"ne.","delta":true}\
                  """,
                  """
                  {"type":"result","status":"success"}\
                  """))
          .containsExactly(
              new Message("Let me see"),
              new ToolUse("write_file", "a.txt"),
              new FileWritten("a.txt"),
              new Message("All"),
              new Message("done."),
              new UsageReport(Usage.NONE),
              new Answer("All\ndone."),
              new Finished());
    }

    @Test
    void agentReportsWhyItFailed() {
      assertThat(recorded(new GeminiAgent(), "gemini/refused.jsonl").getLast())
          .isInstanceOfSatisfying(
              Failure.class,
              failure -> assertThat(failure.why()).contains("The fake model answers 401"));
    }
  }

  @Nested
  class Opencode {
    @Test
    void opencodeReportsItsSessionToolsAndTokensPerStep() {
      var session = new Session("ses_e02c7a484ffeCR2LkloSCG0Vwp");
      assertThat(recorded(new OpencodeAgent(), "opencode/work.jsonl"))
          .filteredOn(agentEvent -> !agentEvent.equals(session))
          .containsExactly(
              new ToolUse("bash", "sleep 1; echo hi; exit 3"),
              new CommandEnded("sleep 1; echo hi; exit 3", Optional.of(3)),
              new ToolResult("hi\n", true),
              new UsageReport(new Usage(100, 20, Optional.empty(), false)),
              new Message("Done. I saw 8 messages"),
              new Answer("Done. I saw 8 messages"),
              new UsageReport(new Usage(100, 20, Optional.empty(), false)),
              new Finished());
      assertThat(recorded(new OpencodeAgent(), "opencode/work.jsonl")).contains(session);
    }

    @Test
    void agentReportsWhyItFailed() {
      assertThat(recorded(new OpencodeAgent(), "opencode/refused.jsonl"))
          .endsWith(new Failure("The fake model answers 401"));
    }
  }

  @Test
  void unknownLinesAreIgnoredForEveryAgent() {
    var cut = "{\"type\":\"assistant\",\"message\":{\"content\":\"" + "x".repeat(70_000) + "…";
    for (var agent :
        List.of(new ClaudeAgent(), new CodexAgent(), new GeminiAgent(), new OpencodeAgent())) {
      assertThat(parse(agent, "not json", "", "{", "[]", "{\"type\":7}", "{\"type\":\"new\"}", cut))
          .as(agent.name())
          .isEmpty();
    }
  }

  @Test
  void hugeCommandIsShortenedInTheStatus() {
    var line =
        "{\"type\":\"item.started\",\"item\":{\"type\":\"command_execution\",\"command\":\""
            + "\\uD83D\\uDE00 ".repeat(100_000)
            + "\"}}";

    assertThat(parse(new CodexAgent(), line))
        .singleElement()
        .isInstanceOfSatisfying(
            ToolUse.class,
            use -> assertThat(use.activity()).startsWith("Running: ").hasSizeLessThan(220));
  }

  private static List<AgentEvent> recorded(Harness harness, String file) {
    try {
      var lines = Files.readAllLines(Path.of("src/test/resources/agents", file));
      return parse(harness, lines.toArray(String[]::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<AgentEvent> parse(Harness harness, String... lines) {
    try {
      var outputParser = harness.outputParser(REQUEST, FILES);
      return List.of(lines).stream().flatMap(line -> outputParser.parse(line).stream()).toList();
    } catch (AgentRefused e) {
      throw new UncheckedIOException(e);
    }
  }
}
