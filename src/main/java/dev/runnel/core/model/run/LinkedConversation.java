package dev.runnel.core.model.run;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// A conversation that a request links to, as context for the agent. Like any [Background] it is
/// untrusted text of third parties.
public sealed interface LinkedConversation {
  URI link();

  /// The content of the conversation.
  ///
  /// @param message the linked message; empty if the link points to the whole conversation
  record Shown(URI link, Background background, Optional<Background.Message> message)
      implements LinkedConversation {}

  /// It does not exist, or must not be shown where the run answers.
  record Withheld(URI link) implements LinkedConversation {}

  /// The platform cannot be read now; a later attempt may succeed.
  ///
  /// @param after the delay that the platform asks for
  record Unavailable(URI link, Optional<Duration> after, String why)
      implements LinkedConversation {}
}
