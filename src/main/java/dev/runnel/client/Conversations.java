package dev.runnel.client;

import dev.runnel.wire.Conversation;
import dev.runnel.wire.ConversationRedirect;
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
