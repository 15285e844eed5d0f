package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Reply;

/// A surface's result for an incoming request.
public sealed interface WebhookResult {
  Reply reply();

  /// A delivery to process. The reply is sent only after the delivery is durable.
  record Accepted(Delivery delivery, Reply reply) implements WebhookResult {}

  /// Nothing to store: a handshake, an irrelevant event, our own message.
  record Answered(Reply reply) implements WebhookResult {}

  /// Not authentic, or malformed.
  ///
  /// @param why for the log; the reply never says which check failed
  record Rejected(Reply reply, String why) implements WebhookResult {
    /// Replies with a status code and no body.
    public static Rejected with(int status, String why) {
      return new Rejected(Reply.empty(status), why);
    }
  }
}
