package dev.runnel.core.model;

/// What a surface made of a request.
public sealed interface WebhookResult {
  Reply reply();

  /// Work. The reply is sent only after the delivery is on disk.
  record Accepted(Delivery delivery, Reply reply) implements WebhookResult {}

  /// Nothing to remember: a handshake, noise, our own words coming back.
  record Answered(Reply reply) implements WebhookResult {}

  /// Not believed or not readable.
  ///
  /// @param why for the log; the reply never says which check failed
  record Rejected(Reply reply, String why) implements WebhookResult {
    /// Answered with a status alone.
    public static Rejected with(int status, String why) {
      return new Rejected(Reply.empty(status), why);
    }
  }
}
