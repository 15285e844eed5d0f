package dev.runnel.core.port;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Linked;
import java.net.URI;
import java.util.List;

/// Reads what people said before they asked.
@FunctionalInterface
public interface BackgroundReader {
  BackgroundReader NONE = _ -> Background.NONE;

  /// The conversation before the delivery, as context for the agent.
  ///
  /// @throws BackgroundUnavailable if the platform cannot be read now
  Background read(Delivery delivery);

  /// Whether only some people can read the conversation of the delivery, or whether that is
  /// unknown.
  default boolean isPrivate(Delivery delivery) {
    return false;
  }

  /// The links in the words of the delivery's sender to conversations of the platform. Does no I/O.
  ///
  /// @param text the request, which may quote others; links in a quote are left out
  default List<URI> links(Delivery delivery, String text) {
    return List.of();
  }

  /// Reads what was said behind such a link, if the delivery's sender may read it and it may be
  /// told where the run answers.
  ///
  /// @param audience the conversation in which the run answers
  /// @param isPublic whether everybody can read the run's work
  default Linked linked(Delivery delivery, Conversation audience, boolean isPublic, URI link) {
    return new Linked.Withheld(link);
  }
}
