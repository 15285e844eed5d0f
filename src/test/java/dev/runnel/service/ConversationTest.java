package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What was said, as a conversation.
@Tag("slow")
class ConversationTest {
  @TempDir Path folder;

  @Test
  void conversationHasAStepPerExecutionAndAMessagePerTurn() {
    try (var service =
        RunningService.withCommand(
            folder,
            "echo '::status Reading'; echo one; echo two; sleep 0.3; echo oops >&2; sleep 0.3;"
                + " cat")) {
      var id = service.create("hello");
      var run = service.awaitState(id, "SUCCEEDED");
      service.ok(service.post("/agent/runs/" + id + "/followups", "{\"message\":\"again\"}"));
      service.awaitState(id, "SUCCEEDED");

      var conversation = service.ok(service.get("/agent/runs/" + id + "/conversation"));

      assertThat(conversation.get("conversation_id")).isEqualTo(run.get("conversation_id"));
      assertThat(conversation.get("steps"))
          .extracting(step -> step.get("id").asText())
          .containsExactly(id + "/1", id + "/2");
      var said = said(conversation.at("/steps/0/messages"));
      assertThat(said)
          .startsWith("user text hello", "assistant event status Reading")
          .contains("assistant text one\ntwo", "system event standard_error oops")
          .endsWith("assistant text hello");
      assertThat(said(conversation.at("/steps/1/messages"))).startsWith("user text again");
    }
  }

  @Test
  void theTranscriptOfAConversationIsThatOfItsNewestRun() {
    try (var service = RunningService.withCommand(folder, "cat")) {
      var id = service.create("first");
      var conversation = service.awaitState(id, "SUCCEEDED").get("conversation_id").asText();
      var next =
          service.create(
              JSON.createObjectNode().put("prompt", "next").put("conversation_id", conversation));

      var answer = service.get("/agent/conversations/" + conversation + "/transcript");

      assertThat(answer.statusCode()).isEqualTo(302);
      assertThat(answer.headers().firstValue("Location").orElseThrow())
          .startsWith("/api/v1/agent/runs/" + next + "/transcript/text?");
      assertThat(problem(service.get("/agent/conversations/none/transcript")))
          .isEqualTo("resource_not_found");
    }
  }

  @Test
  void conversationContainsAllRunsThatContinueIt() {
    try (var service = RunningService.withCommand(folder, "cat")) {
      var id = service.create("first");
      var conversation = service.awaitState(id, "SUCCEEDED").get("conversation_id").asText();
      var next =
          service.create(
              JSON.createObjectNode().put("prompt", "next").put("conversation_id", conversation));
      service.awaitState(next, "SUCCEEDED");

      assertThat(service.ok(service.get("/agent/conversations/" + conversation)).get("steps"))
          .extracting(step -> step.get("id").asText())
          .containsExactly(id + "/1", next + "/1");
      assertThat(problem(service.get("/agent/conversations/none"))).isEqualTo("resource_not_found");
      assertThat(problem(service.get("/agent/runs/none/conversation")))
          .isEqualTo("resource_not_found");
    }
  }

  @Test
  void commandReceivesTheEarlierMessagesOfTheConversation() {
    try (var service =
        RunningService.withCommand(
            folder,
            "echo '::status Reading'; echo oops >&2; sed 's/^/Read: /'; echo; if [ -n"
                + " \"$RUNNEL_CONVERSATION_FILE\" ]; then cat \"$RUNNEL_CONVERSATION_FILE\"; fi")) {
      var first = service.create("first");
      var conversation = service.awaitState(first, "SUCCEEDED").get("conversation_id");
      service.followUp(first, "second");
      service.awaitState(first, "SUCCEEDED");
      var next =
          service.create(
              JSON.createObjectNode().put("prompt", "next").set("conversation_id", conversation));
      service.awaitState(next, "SUCCEEDED");

      assertThat(service.transcript(first)).doesNotContain("Asked:");
      assertThat(service.transcript(next).lines().filter(line -> !line.startsWith("::")))
          .containsExactly(
              "Read: next",
              "Asked:",
              "first",
              "",
              "Answered:",
              "Read: first",
              "",
              "Asked:",
              "second",
              "",
              "Answered:",
              "Read: second");
    }
  }

  @Test
  void promptOfAKnownAgentContainsTheEndOfTheConversation() throws IOException {
    var programs = Files.createDirectory(folder.resolve("programs"));
    var codex = programs.resolve("codex");
    Files.writeString(
        codex,
        """
        #!/bin/sh
        while read -r line; do
          case "$line" in
          *'"method":"initialize"'*) echo '{"id":"ready","result":{}}' ;;
          *'"method":"thread/'*)
            printf '%s\\n' "$line" >> threads
            echo '{"id":"thread","result":{"thread":{"id":"its-own"}}}'
            ;;
          *'"method":"turn/start"'*)
            printf '%s\\n' "$line" > turn
            echo '{"method":"turn/started","params":{"threadId":"its-own","turn":{"id":"1"}}}'
            if grep -q long turn; then text=$(printf 'x%.0s' $(seq 1 40000)); else text=Sure; fi
            echo '{"method":"item/completed","params":{"threadId":"its-own","item":' \
              "{\\"type\\":\\"agentMessage\\",\\"text\\":\\"$text\\"}}}"
            echo '{"method":"turn/completed","params":{"threadId":"its-own","turn":' \
              '{"status":"completed"}}}'
            ;;
          esac
        done
        """);
    Files.setPosixFilePermissions(codex, PosixFilePermissions.fromString("rwx------"));
    try (var service =
        RunningService.inEnvironment(
            folder, Optional.empty(), Map.of("PATH", programs + ":/usr/bin:/bin"))) {
      var first = service.create("long, please");
      var conversation = service.awaitState(first, "SUCCEEDED").get("conversation_id");
      service.followUp(first, "Is it shorter?");
      service.awaitState(first, "SUCCEEDED");
      var next =
          service.create(
              JSON.createObjectNode()
                  .put("prompt", "Go there")
                  .set("conversation_id", conversation));
      service.awaitState(next, "SUCCEEDED");

      var workspace = folder.resolve("workspaces").resolve(next);
      assertThat(prompt(workspace))
          .startsWith("This goes on with an earlier conversation.")
          .contains("xxx\n\nAsked:\nIs it shorter?\n\nAnswered:\nSure\n")
          .doesNotContain("long, please")
          .endsWith("Now:\n\nGo there")
          .hasSizeLessThan(33 * 1024);
      assertThat(workspace.resolve("threads")).content().doesNotContain("thread/resume");
      assertThat(service.run(next).get("prompt").asText()).isEqualTo("Go there");

      service.followUp(next, "And back");
      await().untilAsserted(() -> assertThat(prompt(workspace)).isEqualTo("And back"));
      assertThat(workspace.resolve("threads"))
          .content()
          .contains("thread/resume", "\"threadId\":\"its-own\"");
    }
  }

  @Test
  void aToolCallFailsOnlyIfTheAgentReportsThatItFailed() throws IOException {
    var programs = Files.createDirectory(folder.resolve("programs"));
    var claude = programs.resolve("claude");
    Files.writeString(
        claude,
        """
        #!/bin/sh
        read -r line
        call() {
          echo '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"'$1'",' \
            '"name":"Bash","input":{"command":"make"}}]}}'
          echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"'$1'",' \
            '"content":"'$2'","is_error":'$3'}]}}'
        }
        call a failed false
        call b oops true
        call c '' true
        echo '{"type":"result","is_error":false,"result":"Done"}'
        """);
    Files.setPosixFilePermissions(claude, PosixFilePermissions.fromString("rwx------"));
    try (var service =
        RunningService.inEnvironment(
            folder, Optional.empty(), Map.of("PATH", programs + ":/usr/bin:/bin"))) {
      var id = service.create("Make it");
      service.awaitState(id, "SUCCEEDED");

      var messages =
          service.ok(service.get("/agent/runs/" + id + "/conversation")).at("/steps/0/messages");

      assertThat(messages)
          .map(message -> message.at("/content/0"))
          .filteredOn(content -> content.get("type").asText().equals("action_result"))
          .map(content -> content.at("/output/text").asText() + " " + content.get("state").asText())
          .containsExactly("failed completed", "oops failed", "failed failed");
    }
  }

  private static String prompt(Path workspace) throws IOException {
    var turn = JSON.readTree(Files.readString(workspace.resolve("turn")));
    return turn.at("/params/input/0/text").asText();
  }

  private static List<String> said(JsonNode messages) {
    return StreamSupport.stream(messages.spliterator(), false)
        .map(
            message -> {
              var content = message.at("/content/0");
              return message.get("role").asText()
                  + " "
                  + content.get("type").asText()
                  + " "
                  + (content.has("data")
                      ? content.get("name").asText() + " " + content.at("/data/text").asText()
                      : content.get("text").asText());
            })
        .toList();
  }
}
