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
public record Background(
    String kind,
    Optional<String> title,
    String body,
    List<String> labels,
    Optional<URI> link,
    List<Said> said,
    int omitted,
    List<Attachment> attachments) {
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

  public Background {
    labels = List.copyOf(labels);
    said = List.copyOf(said);
    attachments = List.copyOf(attachments);
  }
}
