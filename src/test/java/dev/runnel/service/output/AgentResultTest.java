package dev.runnel.service.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.agent.AgentRefused;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.agent.LaunchFiles;
import dev.runnel.service.run.AgentAccess;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.limit.CostLimit;
import dev.runnel.service.store.TranscriptRows;
import dev.runnel.service.workspace.PermissionRules;
import dev.runnel.text.Redactor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// How an execution ends by what its agent program printed and its exit status.
class AgentResultTest {
  private static final Path FOLDER = Path.of("workspace");
  private static final String ANSWER =
      """
      {"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":"It is fixed."}
      """;

  @Nested
  class ErrorAfterTheAnswer {
    @Test
    void errorWithoutWorkAfterTheAnswerIsToldBelowTheAnswer() throws AgentRefused {
      var result =
          claude(
              1,
              ANSWER
                  + """
                  {"type":"result","subtype":"error_during_execution","is_error":true,\
                  "num_turns":0,"errors":["only prompt commands are supported"]}
                  """);

      assertThat(result.state()).isEqualTo(ExecutionState.SUCCEEDED);
      assertThat(result.message())
          .isEqualTo(
              "It is fixed.\n\nAfter this answer, the agent program reported an error: only prompt"
                  + " commands are supported");
    }

    @Test
    void failureOfLaterWorkKeepsTheAnswerBeforeIt() throws AgentRefused {
      var result =
          claude(
              1,
              ANSWER
                  + """
                  {"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"On"}]}}
                  {"type":"result","subtype":"error_during_execution","is_error":true,\
                  "num_turns":2,"errors":["the session is too long","ENOSPC"]}
                  """);

      assertThat(result.state()).isEqualTo(ExecutionState.FAILED);
      assertThat(result.message())
          .isEqualTo(
              "the session is too long\nENOSPC\n\nBefore, the agent answered:\nIt is fixed.");
    }

    @Test
    void errorOfCodexAfterItsAnswerKeepsTheAnswer() throws AgentRefused {
      assertThat(
              result(
                      "codex",
                      1,
                      """
                      {"type":"item.completed","item":{"type":"agent_message","text":"Done."}}
                      {"type":"turn.completed","usage":{}}
                      {"type":"turn.failed","error":{"message":"stream disconnected"}}
                      """)
                  .message())
          .isEqualTo("stream disconnected\n\nBefore, the agent answered:\nDone.");
    }

    @Test
    void exitStatusAfterTheAnswerOfGeminiAndOpencodeKeepsTheAnswer() throws AgentRefused {
      assertThat(
              result(
                      "gemini",
                      3,
                      """
                      {"type":"message","role":"assistant","content":"Done."}
                      {"type":"result","status":"success"}
                      """)
                  .message())
          .startsWith("The agent ended with exit status 3")
          .endsWith("Before, the agent answered:\nDone.");
      assertThat(
              result(
                      "opencode",
                      0,
                      """
                      {"type":"text","part":{"text":"Done."}}
                      {"type":"step_finish","part":{"reason":"stop"}}
                      {"type":"error","error":{"data":{"message":"disk is full"}}}
                      """)
                  .message())
          .isEqualTo("disk is full\n\nBefore, the agent answered:\nDone.");
    }

    @Test
    void errorsOfAResultAreTheReason() throws AgentRefused {
      assertThat(
              claude(
                      1,
                      """
                      {"type":"result","subtype":"error_during_execution","is_error":true,\
                      "num_turns":0,"errors":["No conversation found with session ID: 7"]}
                      """)
                  .message())
          .isEqualTo("No conversation found with session ID: 7");
    }
  }

  @Nested
  class AnswerInPieces {
    @Test
    void piecesOfTheLastMessageAreTheAnswer() throws AgentRefused {
      assertThat(claudeSays("The first half ", "m", "and the rest.", "The first half "))
          .isEqualTo("The first half and the rest.");
      assertThat(claudeSays("The first half ", "m", "and the rest.", "and the rest."))
          .isEqualTo("The first half and the rest.");
    }

    @Test
    void emptyResultIsTheWholeLastMessage() throws AgentRefused {
      assertThat(claudeSays("Two causes:\\n\\n", "m", "1. The cart\\n\\n2. The price", ""))
          .isEqualTo("Two causes:\n\n1. The cart\n\n2. The price");
    }

    @Test
    void messageBeforeTheLastOneIsNotTheAnswer() throws AgentRefused {
      assertThat(claudeSays("Let me look.", "other", "It is fixed.", "It is fixed."))
          .isEqualTo("It is fixed.");
    }

    @Test
    void resultThatTheLastMessageDoesNotContainIsTheAnswer() throws AgentRefused {
      assertThat(claudeSays("Let me look.", "m", "Still looking.", "It is fixed."))
          .isEqualTo("It is fixed.");
    }

    @Test
    void messageOfAnEarlierTurnIsNotTheAnswerOfALaterOne() throws AgentRefused {
      assertThat(
              claude(
                      0,
                      text("Earlier.", "m")
                          + success("Earlier.")
                          + "{\"type\":\"user\",\"isReplay\":true,\"uuid\":\"u\"}\n"
                          + text("Later.", "n")
                          + success(""))
                  .message())
          .isEqualTo("Later.");
    }

    @Test
    void textsOfOneMessageOfOpencodeAreOneAnswer() throws AgentRefused {
      assertThat(
              result(
                      "opencode",
                      0,
                      """
                      {"type":"text","part":{"messageID":"a","text":"Let me look."}}
                      {"type":"text","part":{"messageID":"b","text":"The first half."}}
                      {"type":"text","part":{"messageID":"b","text":"The second half."}}
                      {"type":"step_finish","part":{"reason":"stop"}}
                      """)
                  .message())
          .isEqualTo("The first half.\n\nThe second half.");
    }

    private static String claudeSays(String first, String id, String second, String result)
        throws AgentRefused {
      return claude(0, text(first, id) + text(second, "m") + success(result)).message();
    }

    private static String text(String text, String id) {
      return """
      {"type":"assistant","message":{"id":"%s","content":[{"type":"text","text":"%s"}]}}
      """
          .formatted(id, text);
    }

    private static String success(String result) {
      return """
      {"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"%s"}
      """
          .formatted(result);
    }
  }

  @Nested
  class UnfinishedWork {
    private static final String TEXT =
        """
        {"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"I found two."}]}}
        """;

    @Test
    void resultThatEndsWithAToolCallIsNoSuccess() throws AgentRefused {
      assertFailure(
          claude(0, TEXT + claudeResult("success", "tool_use")),
          "The agent ended before it was finished: its last message calls a tool.");
    }

    @Test
    void resultOfAnotherKindThanSuccessIsNoSuccessAlthoughItIsNotMarkedAsAnError()
        throws AgentRefused {
      assertFailure(
          claude(0, TEXT + claudeResult("error_max_turns", "end_turn")),
          "The agent reached its limit of turns.");
      assertFailure(
          claude(0, claudeResult("error_max_budget_usd", "end_turn")),
          "The agent reached its own cost limit.");
      assertFailure(
          claude(0, claudeResult("error_of_the_future", "end_turn")),
          "The agent reported error_of_the_future and gave no reason.");
    }

    @Test
    void resultWithoutTextThatTheModelDidNotEndIsNoSuccess() throws AgentRefused {
      assertFailure(
          claude(0, claudeResult("success", "refusal")), "The model refused to answer this.");
      assertFailure(
          claude(0, claudeResult("success", "max_tokens")),
          "The model's answer was longer than it may be.");
      assertFailure(
          claude(0, claudeResult("success", "new_reason")),
          "The agent ended before it was finished (new_reason).");
    }

    @Test
    void emptyResultThatTheModelEndedIsASuccess() throws AgentRefused {
      for (var reason : List.of("end_turn", "stop_sequence")) {
        assertThat(claude(0, claudeResult("success", reason)).state())
            .isEqualTo(ExecutionState.SUCCEEDED);
      }
    }

    @Test
    void resultOfGeminiWithAnotherStatusThanSuccessIsNoSuccess() throws AgentRefused {
      assertFailure(
          result("gemini", 0, "{\"type\":\"result\",\"status\":\"cancelled\"}"),
          "The agent reported cancelled and gave no reason.");
      assertFailure(
          result("gemini", 0, "{\"type\":\"result\",\"status\":\"error\"}"),
          "The agent reported error and gave no reason.");
    }

    @Test
    void turnOfCodexThatWasInterruptedIsNoSuccess() throws AgentRefused {
      assertFailure(
          result(
              "codex",
              0,
              """
              {"method":"turn/completed","params":{"threadId":"","turn":{"status":"interrupted"}}}
              """),
          "The turn was interrupted.");
    }

    @Test
    void stepOfOpencodeThatReachedTheMaximumLengthIsNoSuccess() throws AgentRefused {
      assertFailure(
          result("opencode", 0, "{\"type\":\"step_finish\",\"part\":{\"reason\":\"length\"}}"),
          "The agent ended before it was finished.");
    }

    private static String claudeResult(String subtype, String stopReason) {
      return """
      {"type":"result","subtype":"%s","is_error":false,"num_turns":3,"result":"",\
      "stop_reason":"%s","errors":[]}
      """
          .formatted(subtype, stopReason);
    }

    private static void assertFailure(ExecutionResult result, String why) {
      assertThat(result.state()).isEqualTo(ExecutionState.FAILED);
      assertThat(result.message()).isEqualTo(why);
    }
  }

  @Nested
  class Subagents {
    private static final String PLAN =
        """
        {"type":"assistant","parent_tool_use_id":null,"message":{"id":"m","content":[\
        {"type":"tool_use","id":"t","name":"TodoWrite",\
        "input":{"todos":[{"content":"mine","status":"pending"}]}}]}}
        """;
    private static final String SUBAGENT =
        """
        {"type":"assistant","parent_tool_use_id":"toolu_1","message":{"id":"s","content":[\
        {"type":"text","text":"I am a subagent."},\
        {"type":"tool_use","id":"u","name":"TodoWrite",\
        "input":{"todos":[{"content":"its own","status":"pending"}]}},\
        {"type":"tool_use","id":"v","name":"Bash","input":{"command":"npm test"}},\
        {"type":"tool_use","id":"w","name":"Write","input":{"file_path":"notes.txt"}}]}}
        {"type":"user","parent_tool_use_id":"toolu_1","message":{"content":[\
        {"type":"tool_result","tool_use_id":"v","content":"Exit code 1","is_error":true}]}}
        """;
    private static final String END =
        "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"\"}";

    @Test
    void planOfASubagentIsNotThePlan() throws AgentRefused {
      assertThat(collector("claude", PLAN + SUBAGENT).newOutput().artifacts())
          .filteredOn(artifact -> artifact.type().equals("PLAN"))
          .singleElement()
          .asString()
          .contains("mine");
    }

    @Test
    void workOfASubagentIsNotTheStatus() throws AgentRefused {
      assertThat(collector("claude", PLAN + SUBAGENT).newOutput().status())
          .hasValueSatisfying(status -> assertThat(status).startsWith("Using TodoWrite"));
    }

    @Test
    void wordsOfASubagentAreNotTheAnswer() throws AgentRefused {
      assertThat(claude(0, SUBAGENT + END).message())
          .isEqualTo("The agent finished without an answer.");
      assertThat(
              claude(0, "{\"type\":\"system\",\"subtype\":\"task_progress\"}\n" + SUBAGENT + END))
          .isEqualTo(claude(0, SUBAGENT + END));
    }

    @Test
    void errorAfterTheAnswerIsLateAlsoIfASubagentStillSpeaks() throws AgentRefused {
      assertThat(
              claude(
                      1,
                      ANSWER
                          + SUBAGENT
                          + """
                          {"type":"result","subtype":"error_during_execution","is_error":true,\
                          "num_turns":0,"errors":["late"]}
                          """)
                  .state())
          .isEqualTo(ExecutionState.SUCCEEDED);
    }

    @Test
    void workOfASubagentIsInTheTranscriptAndItsTestsAreEvidence() throws AgentRefused {
      var collector = collector("claude", SUBAGENT + END);

      assertThat(collector.newOutput().entries())
          .extracting(TranscriptRows.Entry::text)
          .contains("Subagent: I am a subagent.", "Subagent: Bash npm test", "Exit code 1");
      assertThat(collector.summary().tests()).hasSize(1);
    }

    @Test
    void anotherSessionOfOpencodeIsASubagent() throws AgentRefused {
      var collector =
          collector(
              "opencode",
              """
              {"type":"step_start","sessionID":"ses_main","part":{}}
              {"type":"text","sessionID":"ses_main","part":{"messageID":"a","text":"Done."}}
              {"type":"text","sessionID":"ses_sub","part":{"messageID":"b","text":"Mine."}}
              {"type":"tool_use","sessionID":"ses_sub","part":{"tool":"todowrite",\
              "state":{"input":{"todos":[{"content":"its own"}]}}}}
              {"type":"step_finish","sessionID":"ses_main","part":{"reason":"stop"}}
              {"type":"error","sessionID":"ses_sub","error":{"name":"its error"}}
              """);

      assertThat(collector.newOutput().agentSession()).hasValue("opencode:ses_main");
      assertThat(collector.newOutput().artifacts()).isEmpty();
      var summary = collector.summary();
      assertThat(summary.answer()).isEqualTo("Done.");
      assertThat(summary.failure()).isEmpty();
    }

    @Test
    void anotherThreadOfCodexIsASubagent() throws AgentRefused {
      var collector =
          collector(
              "codex",
              """
              {"id":"thread","result":{"thread":{"id":"main"}}}
              {"method":"turn/plan/updated","params":{"threadId":"sub","plan":[{"step":"x"}]}}
              {"method":"item/completed","params":{"threadId":"sub",\
              "item":{"type":"agentMessage","text":"Mine."}}}
              {"method":"turn/completed","params":{"threadId":"sub","turn":{"status":"failed"}}}
              """);

      assertThat(collector.hasNew()).isFalse();
      assertThat(collector.summary().failure()).isEmpty();
    }
  }

  @Nested
  class OverloadOfTheProvider {
    @Test
    void overloadIsToldInWordsAndMayBeTriedAgain() throws AgentRefused {
      var overloaded =
          claudeError(
              "API Error: 529 {\\\"type\\\":\\\"error\\\",\\\"error\\\":"
                  + "{\\\"type\\\":\\\"overloaded_error\\\",\\\"message\\\":\\\"Overloaded\\\"}}");

      assertThat(overloaded.message())
          .isEqualTo(
              "The provider of the model is overloaded or out of order at the moment (status 529)."
                  + " Another try will likely work.");
      assertThat(overloaded.retryable()).isTrue();
    }

    @Test
    void overloadOfEachProviderIsRecognized() throws AgentRefused {
      for (var text :
          List.of(
              "API Error: 500 Internal server error",
              "exceeded retry limit, last status: 429 Too Many Requests",
              "unexpected status 503 Service Unavailable: upstream",
              "got status: 503. {'error':{'code':503,'message':'The model is overloaded.'}}",
              "Request rejected (RESOURCE_EXHAUSTED)",
              "Overloaded")) {
        assertThat(claudeError(text).retryable()).as(text).isTrue();
        assertThat(claudeError(text).message()).startsWith("The provider of the model");
      }
    }

    @Test
    void limitOfTheAccountAndOtherErrorsAreToldAsTheyAre() throws AgentRefused {
      for (var text :
          List.of(
              "API Error: 401 invalid key",
              "last status: 429: You exceeded your current quota",
              "API Error: 429 Your credit balance is too low",
              "Tests failed: 529 of 600",
              "The session has 500 messages")) {
        assertThat(claudeError(text).retryable()).as(text).isFalse();
        assertThat(claudeError(text).message()).isEqualTo(text);
      }
    }

    @Test
    void whatTheProviderSaidIsInTheTranscript() throws AgentRefused {
      assertThat(
              collector("claude", error("API Error: 529 {overloaded_error}")).newOutput().entries())
          .extracting(TranscriptRows.Entry::text)
          .containsExactly("API Error: 529 {overloaded_error}");
    }

    private static ExecutionResult claudeError(String text) throws AgentRefused {
      return claude(1, error(text));
    }

    private static String error(String text) {
      return "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"%s\"}"
          .formatted(text);
    }
  }

  private static ExecutionResult claude(int status, String output) throws AgentRefused {
    return result("claude", status, output);
  }

  private static ExecutionResult result(String agent, int status, String output)
      throws AgentRefused {
    var harness = Agents.onOtherMachines(Optional.empty()).named(agent).orElseThrow();
    return collector(agent, output).summary().toResult(harness, status);
  }

  private static OutputCollector collector(String agent, String output) throws AgentRefused {
    var harness = Agents.onOtherMachines(Optional.empty()).named(agent).orElseThrow();
    var request = ExecutionRequest.internal("run").withPrompt("Fix it");
    var files =
        new LaunchFiles(
            FOLDER, FOLDER, Map.of(), AgentAccess.FULL, PermissionRules.NONE, false, true);
    var collector =
        new OutputCollector(
            request,
            harness,
            harness.outputParser(request, files),
            FOLDER,
            FOLDER,
            CostLimit.NONE,
            Redactor.PATTERNS);
    output.lines().flatMap(line -> collector.parse(line).stream()).forEach(collector::add);
    return collector;
  }
}
