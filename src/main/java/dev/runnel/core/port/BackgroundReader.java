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

  /// The files of a message to a run, which takes attachments only at its start.
  ///
  /// @param texts the content of its text files
  /// @param others the names of its other files
  /// @param isPicture whether one of the others is a picture, which a new run would get
  record ReplyFiles(Background texts, List<String> others, boolean isPicture) {
    public static final ReplyFiles NONE = new ReplyFiles(Background.NONE, List.of(), false);
  }

  /// Whether the message has files. Does no I/O.
  default boolean hasFiles(Delivery delivery) {
    return false;
  }

  /// @throws BackgroundUnavailable if the platform cannot be read now
  default ReplyFiles files(Delivery delivery) {
    return ReplyFiles.NONE;
  }

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
