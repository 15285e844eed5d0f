package dev.runnel.app.connect;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// The network access of checks. Blocks.
interface Network {
  /// @param body empty for none
  record Request(String method, URI uri, Map<String, String> headers, String body) {
    public Request {
      headers = Map.copyOf(headers);
    }
  }

  /// @param headers by lower-case names
  record Response(int status, String body, Map<String, String> headers) {
    public Response {
      headers = Map.copyOf(headers);
    }
  }

  /// @throws IOException if there is no response
  Response call(Request call) throws IOException;

  /// Opens a web socket and closes it when the first message arrived.
  ///
  /// @return the message
  /// @throws IOException if none arrives
  String firstMessage(URI socket) throws IOException;

  /// Waits between polls.
  void pause(Duration time);

  Instant now();

  /// The message of the exception; `no connection` if it has none, as a `ConnectException` may.
  static String why(IOException e) {
    return Optional.ofNullable(e.getMessage()).filter(it -> !it.isBlank()).orElse("no connection");
  }
}
