package dev.runnel.core.port;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.LinkedConversation;
import java.net.URI;
import java.util.List;

/// Reads the messages in a conversation before a request.
@FunctionalInterface
public interface BackgroundReader {
  BackgroundReader NONE = _ -> Background.NONE;

  /// The conversation before the delivery, as context for the agent.
  ///
  /// @throws BackgroundUnavailable if the platform cannot be read now
  Background read(Delivery delivery);

  /// Whether only some people can read the conversation of the delivery.
  ///
  /// @throws BackgroundUnavailable if the platform cannot be asked now
  default boolean isPrivate(Delivery delivery) {
    return false;
  }

  /// The links to conversations of the platform that the delivery's sender wrote. Does no I/O.
  ///
  /// @param text the request, which may quote others; links in a quote are left out
  default List<URI> links(Delivery delivery, String text) {
    return List.of();
  }

  /// Reads the linked conversation, if the delivery's sender may read it and it may be shown where
  /// the run answers.
  ///
  /// @param audience the conversation in which the run answers
  /// @param isPublic whether everybody can read the run's work
  default LinkedConversation linked(
      Delivery delivery, Conversation audience, boolean isPublic, URI link) {
    return new LinkedConversation.Withheld(link);
  }
}
