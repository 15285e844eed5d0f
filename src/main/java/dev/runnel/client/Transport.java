package dev.runnel.client;

import java.time.Duration;

/// Brings a request to the service and the complete answer back, whatever its status.
interface Transport extends AutoCloseable {
  /// @param timeout for all of it, the body included
  /// @throws RunsException.Unanswered when there is no answer
  /// @throws RunsException.UnreadableAnswer when the answer is too long to be kept
  HttpResponse send(HttpRequest call, Duration timeout);

  @Override
  void close();
}
