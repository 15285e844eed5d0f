package dev.runnel.core.model.run;

import dev.runnel.core.model.conversation.Attachment;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The context of a request: what was written in the conversation before it. Untrusted text of
/// third parties: never instructions.
///
/// @param kind the kind of source, for people and agents: `Slack thread`, `GitHub issue
///   acme/shop#7`
/// @param body the description, empty where there is none
/// @param messages the messages, oldest first; without a description, the first one began the
///   conversation
/// @param omitted number of messages left out between the first and the rest
/// @param attachments files that were shared in the conversation
/// @param files text files that were shared in the conversation, the most relevant first
/// @param leftOut what was excluded for other reasons than space
@RecordBuilder
public record Background(
    String kind,
    Optional<String> title,
    String body,
    List<String> labels,
    Optional<URI> link,
    List<Message> messages,
    int omitted,
    List<Attachment> attachments,
    LeftOut leftOut,
    List<TextFile> files)
    implements BackgroundBuilder.With {
  /// The parts of a conversation that the agent must not see, however much space there is.
  ///
  /// @param unpermitted number of messages whose authors lack permission or that not everybody may
  ///   read
  /// @param later number of messages written or changed after the request
  /// @param isBodyNewer whether the description may have been changed after the request
  public record LeftOut(int unpermitted, int later, boolean isBodyNewer) {
    public static final LeftOut NONE = new LeftOut(0, 0, false);
  }

  /// One earlier message or comment.
  public record Message(String author, Instant at, String text) {}

  /// The text of a shared file.
  ///
  /// @param text the whole text, or its beginning and end
  public record TextFile(String name, String text) {}

  public static final Background NONE =
      new Background("", Optional.empty(), "", List.of(), Optional.empty(), List.of(), 0);

  public Background(
      String kind,
      Optional<String> title,
      String body,
      List<String> labels,
      Optional<URI> link,
      List<Message> messages,
      int omitted) {
    this(kind, title, body, labels, link, messages, omitted, List.of());
  }

  public Background(
      String kind,
      Optional<String> title,
      String body,
      List<String> labels,
      Optional<URI> link,
      List<Message> messages,
      int omitted,
      List<Attachment> attachments) {
    this(kind, title, body, labels, link, messages, omitted, attachments, LeftOut.NONE, List.of());
  }

  /// Whether it contains nothing for the agent.
  public boolean isEmpty() {
    return title.isEmpty()
        && body.isBlank()
        && labels.isEmpty()
        && messages.isEmpty()
        && omitted == 0
        && attachments.isEmpty()
        && files.isEmpty();
  }

  public Background {
    labels = List.copyOf(labels);
    messages = List.copyOf(messages);
    attachments = List.copyOf(attachments);
    files = List.copyOf(files);
  }
}
