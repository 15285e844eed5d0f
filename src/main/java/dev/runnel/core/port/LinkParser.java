package dev.runnel.core.port;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.LinkTarget;
import java.net.URI;
import java.util.Optional;

/// Recognizes links of a platform. Does no I/O.
public interface LinkParser {
  LinkParser NONE = (_, _) -> Optional.empty();

  /// What a link of this platform shows; empty for a link of another.
  ///
  /// @param from the conversation that contains the link, for parts that the link omits
  Optional<LinkTarget> target(URI link, Conversation from);

  /// The conversation of the issue or pull request that a link shows; empty for a link to anything
  /// else.
  default Optional<Conversation> issue(URI link) {
    return Optional.empty();
  }
}
