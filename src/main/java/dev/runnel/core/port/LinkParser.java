package dev.runnel.core.port;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.LinkTarget;
import java.net.URI;
import java.util.Optional;

/// Recognizes links of a platform. Does no I/O.
public interface LinkParser {
  LinkParser NONE = (_, _) -> Optional.empty();

  /// The target of a link to this platform; empty for other links.
  ///
  /// @param from the conversation that contains the link, for parts that the link omits
  Optional<LinkTarget> target(URI link, Conversation from);

  /// The conversation of the linked issue or pull request; empty for a link to anything else.
  default Optional<Conversation> issue(URI link) {
    return Optional.empty();
  }
}
