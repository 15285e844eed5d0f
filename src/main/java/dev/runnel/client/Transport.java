package dev.runnel.client;

import java.time.Duration;

/// Sends a request and returns the response, whatever its status.
interface Transport extends AutoCloseable {
  /// @param timeout limit for the whole exchange, including the body
  /// @throws RunsException.TransportError if there is no response
  /// @throws RunsException.MalformedResponse if the response is too long to be kept
  HttpResponse send(HttpRequest call, Duration timeout);

  @Override
  void close();
}
