package dev.runnel.app.connect;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// What checks need of the world. Blocks.
interface Network {
  /// @param body empty for none
  record Call(String method, URI uri, Map<String, String> headers, String body) {
    public Call {
      headers = Map.copyOf(headers);
    }
  }

  /// @param headers by lower-case names
  record Answer(int status, String body, Map<String, String> headers) {
    public Answer {
      headers = Map.copyOf(headers);
    }
  }

  /// @throws IOException if there is no answer
  Answer call(Call call) throws IOException;

  /// Opens a web socket and closes it when the first message arrived.
  ///
  /// @return the message
  /// @throws IOException if none arrives
  String firstMessage(URI socket) throws IOException;

  /// Waits before a question is asked again.
  void pause(Duration time);

  Instant now();

  /// `java.net.ConnectException` says nothing to people, its cause perhaps does.
  static String why(IOException e) {
    return Optional.ofNullable(e.getMessage()).filter(it -> !it.isBlank()).orElse("no connection");
  }
}
