package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.wire.Conversation;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.FollowUpOutcome;
import dev.runnel.wire.Golden;
import java.nio.charset.StandardCharsets;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConversationsTest extends GroupFixture {
  @Test
  void conversationIsRead() throws Exception {
    answerGolden("conversation");

    assertThat(sends(client.conversations().get("c-1"), "GET /agent/conversations/c-1"))
        .isEqualTo(Golden.read("conversation", Conversation.class));
  }

  @Test
  void transcriptOfTheNewestRunIsReadThroughTheRedirect() throws Exception {
    server.enqueue(
        new MockResponse.Builder().code(302).setHeader("Location", "/api/v1/signed").build());
    server.enqueue(answer(200, "I have fixed it.", "text/plain").build());

    assertThat(
            sends(
                client.conversations().transcript("c-1"),
                "GET /agent/conversations/c-1/transcript"))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("I have fixed it.");
    assertThat(server.takeRequest().getTarget()).isEqualTo("/api/v1/signed");
  }

  @Test
  void followUpReturnsTheRunThatReceivesIt() throws Exception {
    answerGolden("conversation-follow-up-accepted");

    var accepted =
        sends(
            client.conversations().followUp("c-1", Golden.read("follow-up", FollowUpMessage.class)),
            "POST /agent/conversations/c-1/followups",
            Golden.tree("follow-up"));

    assertThat(accepted.runId()).isEqualTo("r2");
    assertThat(accepted.outcome()).isEqualTo(FollowUpOutcome.HANDOFF_EXECUTION);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"s-1\"", "null"})
  void conversationRedirectReturnsItsSessionOrNull(String session) throws Exception {
    server.enqueue(json(200, "{\"session_id\": %s}".formatted(session)));

    var redirect =
        sends(client.conversations().session("c-1"), "GET /agent/conversations/c-1/redirect");

    assertThat(redirect.sessionId()).isEqualTo(session.equals("null") ? null : "s-1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"conversation_id\": \"c-1\"}", "{}"})
  void theConversationOfASessionIsFoundWhereItHasOne(String answer) throws Exception {
    server.enqueue(json(200, answer));

    var redirect =
        sends(client.conversations().ofSession("s-1"), "GET /agent/sessions/s-1/redirect");

    assertThat(redirect.conversationId()).isEqualTo(answer.equals("{}") ? null : "c-1");
  }

  @Test
  void sessionRedirectNeedsNoKey() throws Exception {
    server.enqueue(json(200, "{}"));

    client
        .conversations()
        .ofSession("s-1")
        .withOptions(it -> it.withoutHeader("Authorization"))
        .send();

    assertThat(server.takeRequest().getHeaders().get("Authorization")).isNull();
  }

  @Test
  void failedConversationCallThrowsTheMatchingException() {
    isRefused(
        client.conversations().get("c-1"),
        422,
        "operation_not_supported",
        RunsException.Unprocessable.class);
    isRefused(
        client.conversations().session("c-1"),
        404,
        "resource_not_found",
        RunsException.NotFound.class);
  }

  @Test
  void emptyIdsAreNeverSent() {
    areNeverSent(
        () -> client.conversations().get(""),
        () -> client.conversations().transcript(""),
        () -> client.conversations().followUp("", FollowUpMessage.of("go on")),
        () -> client.conversations().session(" "),
        () -> client.conversations().ofSession(".."));
  }
}
