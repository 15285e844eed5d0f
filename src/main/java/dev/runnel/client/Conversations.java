package dev.runnel.client;

import dev.runnel.client.HttpRequest.Effect;
import dev.runnel.wire.Conversation;
import dev.runnel.wire.ConversationFollowUpAccepted;
import dev.runnel.wire.ConversationRedirect;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.SessionRedirect;

/// Conversations and their sessions: `/agent/conversations`, `/agent/sessions`.
public final class Conversations {
  private final Resource api;

  Conversations(Resource api) {
    this.api = api;
  }

  /// `GET /agent/conversations/{id}`. Fails with [RunsException.Unprocessable] if its format is not
  /// supported.
  public Call<Conversation> get(String id) {
    return api.get(
        "read conversation " + id,
        Call.json(Conversation.class),
        api.url("agent", "conversations", id));
  }

  /// `GET /agent/conversations/{id}/transcript`: that of its newest run, following the redirect to
  /// its signed URL. For long transcripts use [a streamed body][Call#withStreamedBody()].
  public Call<byte[]> transcript(String id) {
    return api.get(
        "read the transcript of conversation " + id,
        Call.bytes(),
        api.url("agent", "conversations", id, "transcript"));
  }

  /// `POST /agent/conversations/{id}/followups`: to its newest run. Retried and checked like
  /// [Runs#followUp].
  public Call<ConversationFollowUpAccepted> followUp(String id, FollowUpMessage message) {
    RequestChecks.check(message);
    return api.call(
        "send a follow-up to conversation " + id,
        "POST",
        api.url("agent", "conversations", id, "followups"),
        message,
        Effect.NON_IDEMPOTENT,
        Call.json(ConversationFollowUpAccepted.class));
  }

  /// `GET /agent/conversations/{id}/redirect`: its session. Needs no key.
  public Call<ConversationRedirect> session(String id) {
    return api.get(
        "find the session of conversation " + id,
        Call.json(ConversationRedirect.class),
        api.url("agent", "conversations", id, "redirect"));
  }

  /// `GET /agent/sessions/{id}/redirect`: the conversation of a session. Needs no key.
  public Call<SessionRedirect> ofSession(String sessionId) {
    return api.get(
        "find the conversation of session " + sessionId,
        Call.json(SessionRedirect.class),
        api.url("agent", "sessions", sessionId, "redirect"));
  }
}
