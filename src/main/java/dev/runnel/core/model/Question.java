package dev.runnel.core.model;

import java.net.URI;
import java.util.Optional;

/// What Runnel answers by itself, to the person who asks.
public sealed interface Question {
  /// The defaults that apply to who asks where they ask, and where each comes from.
  record Config() implements Question {}

  /// Sets a default, or takes it away.
  ///
  /// @param key as in `config`: `model`
  /// @param value empty to take it away
  record Configure(String key, Optional<String> value, Level level) implements Question {
    public enum Level {
      ME,
      HERE,
      WORKSPACE
    }
  }

  /// What would be done with a request, without doing it.
  record Explain(Request request) implements Question {}

  /// What became of a message.
  record Why(URI link) implements Question {}

  record Usage() implements Question {}

  record WhoAmI() implements Question {}

  record Doctor() implements Question {}
}
