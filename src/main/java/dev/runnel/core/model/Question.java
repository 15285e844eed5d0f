package dev.runnel.core.model;

import java.net.URI;
import java.util.List;
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

  /// Several changes at once: all of them, or none.
  record ConfigureAll(List<Configure> changes) implements Question {
    public ConfigureAll {
      changes = List.copyOf(changes);
    }
  }

  /// The person's own runs, for a page of theirs.
  record Home() implements Question {}

  /// A form to ask the agent with.
  ///
  /// @param thread where the words will be said; empty where the form asks for a place
  /// @param about the message that they are about, in its own words; may be empty
  record Compose(Optional<Conversation> thread, String about) implements Question {}

  /// A form to change the defaults of a level with.
  record Edit(Configure.Level level) implements Question {}

  /// What would be done with a request, without doing it.
  record Explain(Request request) implements Question {}

  /// What became of a message.
  record Why(URI link) implements Question {}

  record Usage() implements Question {}

  record WhoAmI() implements Question {}

  record Doctor() implements Question {}
}
