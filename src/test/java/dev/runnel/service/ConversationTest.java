package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What was said, as a conversation.
class ConversationTest {
  @TempDir Path folder;

  @Test
  void hasAStepForEachExecutionAndAMessageForEachTurn() {
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
  void holdsAllRunsThatContinueIt() {
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

  private static List<String> said(JsonNode messages) {
    return StreamSupport.stream(messages.spliterator(), false)
        .map(
            message -> {
              var content = message.at("/content/0");
              var event = content.path("event");
              return message.get("role").asText()
                  + " "
                  + content.get("type").asText()
                  + " "
                  + (event.isMissingNode()
                      ? content.get("text").asText()
                      : event.get("name").asText() + " " + event.get("text").asText());
            })
        .toList();
  }
}
