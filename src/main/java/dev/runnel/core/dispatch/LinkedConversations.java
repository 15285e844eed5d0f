package dev.runnel.core.dispatch;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.LinkedConversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.Surface;
import dev.runnel.core.scope.Surfaces;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Reads the conversations to which requests link, and the files of messages to runs.
///
/// @param surfaces those that are enabled
record LinkedConversations(Surfaces surfaces, AttemptResults results) {
  private static final int MAX_READ = 3;

  /// Maximum number of links that are passed to the agent.
  private static final int MAX_LINKS = 10;

  /// Whether the request of the delivery has links to conversations, or files.
  boolean appearIn(Delivery delivery) {
    return reader(delivery).hasFiles(delivery)
        || delivery
            .intent()
            .agentRequest()
            .map(Request::text)
            .filter(text -> !links(delivery, text).isEmpty())
            .isPresent();
  }

  /// The files of a message to a run. May take seconds.
  ///
  /// @param isPublic whether everybody can read the run's work: then the files of a private
  ///   conversation are only named
  /// @throws BackgroundUnavailable if the platform cannot be read now
  BackgroundReader.ReplyFiles files(Delivery delivery, boolean isPublic) {
    var reader = reader(delivery);
    var files = reader.files(delivery);
    if (!isPublic
        || files.equals(BackgroundReader.ReplyFiles.NONE)
        || !reader.isPrivate(delivery)) {
      return files;
    }
    var names = files.texts().files().stream().map(Background.TextFile::name);
    return new BackgroundReader.ReplyFiles(
        Background.NONE, Stream.concat(names, files.others().stream()).toList(), false);
  }

  /// Reads the conversations to which the text links. May take seconds.
  ///
  /// @param audience the conversation in which the run answers
  /// @param isPublic whether everybody can read the run's work
  /// @return empty if the attempt is retried later, because the platform cannot be read now
  Optional<List<LinkedConversation>> readOrRetry(
      DeliveryAttempt attempt, Conversation audience, boolean isPublic, String text) {
    var linked = read(attempt.delivery(), audience, isPublic, text);
    var isRetried =
        linked.stream()
            .filter(LinkedConversation.Unavailable.class::isInstance)
            .map(LinkedConversation.Unavailable.class::cast)
            .findFirst()
            .filter(it -> results.retryReading(attempt, it.after(), it.why()))
            .isPresent();
    return isRetried ? Optional.empty() : Optional.of(linked);
  }

  private List<LinkedConversation> read(
      Delivery delivery, Conversation audience, boolean isPublic, String text) {
    var links = links(delivery, text);
    return IntStream.range(0, links.size())
        .mapToObj(
            at ->
                at < MAX_READ
                    ? reader(delivery).linked(delivery, audience, isPublic, links.get(at))
                    : new LinkedConversation.Withheld(links.get(at)))
        .toList();
  }

  /// Ignores links in answers by a choice: the agent wrote them, and could choose what it reads.
  private List<URI> links(Delivery delivery, String text) {
    if (delivery.intent().answeredQuestion().isPresent()) {
      return List.of();
    }
    return reader(delivery).links(delivery, text).stream().distinct().limit(MAX_LINKS).toList();
  }

  private BackgroundReader reader(Delivery delivery) {
    return surfaces
        .find(delivery.conversation().surface())
        .map(Surface::background)
        .orElse(BackgroundReader.NONE);
  }
}
