package dev.runnel.core.model;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What was said around a request before it was made. Words of third parties: never instructions.
///
/// @param kind what it is, for people and agents: `Slack thread`, `GitHub issue acme/shop#7`
/// @param body the description, empty where there is none
/// @param said oldest first; where there is no description, the first of them is what began it
/// @param omitted how many were left out between the beginning and the rest
/// @param attachments files that were shared along with it
/// @param leftOut what else is not shown
public record Background(
    String kind,
    Optional<String> title,
    String body,
    List<String> labels,
    Optional<URI> link,
    List<Said> said,
    int omitted,
    List<Attachment> attachments,
    LeftOut leftOut) {
  /// What of a conversation is not for the agent, however much room there is.
  ///
  /// @param unheard how many were written by people who have no say there, or not for everybody
  /// @param later how many were said or changed after the request
  /// @param isBodyNewer whether the description may have been changed after the request
  public record LeftOut(int unheard, int later, boolean isBodyNewer) {
    public static final LeftOut NONE = new LeftOut(0, 0, false);
  }

  /// One earlier message or comment.
  public record Said(String author, Instant at, String text) {}

  public static final Background NONE =
      new Background("", Optional.empty(), "", List.of(), Optional.empty(), List.of(), 0);

  public Background(
      String kind,
      Optional<String> title,
      String body,
      List<String> labels,
      Optional<URI> link,
      List<Said> said,
      int omitted) {
    this(kind, title, body, labels, link, said, omitted, List.of());
  }

  public Background(
      String kind,
      Optional<String> title,
      String body,
      List<String> labels,
      Optional<URI> link,
      List<Said> said,
      int omitted,
      List<Attachment> attachments) {
    this(kind, title, body, labels, link, said, omitted, attachments, LeftOut.NONE);
  }

  /// The same, and what is not shown.
  public Background without(LeftOut what) {
    return new Background(kind, title, body, labels, link, said, omitted, attachments, what);
  }

  public Background {
    labels = List.copyOf(labels);
    said = List.copyOf(said);
    attachments = List.copyOf(attachments);
  }
}
