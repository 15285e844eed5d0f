package dev.runnel.core.model.run;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// An issue as it was when work on it was requested, as far as the delivery contains it. Later
/// edits and comments were not part of the request and do not go to the agent.
///
/// @param at when the request was made, by the tracker's clock
/// @param title as people see it
/// @param body as people see it; empty where the delivery did not contain it, `""` where there is
///   none
/// @param labels as far as the delivery contained them
/// @param linked what a follow-up links to, formatted for the agent when it was first sent, so that
///   each attempt sends the same
@RecordBuilder
public record Snapshot(
    Optional<Instant> at,
    Optional<String> title,
    Optional<String> body,
    List<String> labels,
    Optional<String> linked)
    implements SnapshotBuilder.With {
  public static final Snapshot NONE =
      new Snapshot(Optional.empty(), Optional.empty(), Optional.empty());

  public Snapshot {
    // Rows of an older version have none.
    labels = labels == null ? List.of() : List.copyOf(labels);
    linked = Objects.requireNonNullElse(linked, Optional.empty());
  }

  public Snapshot(Optional<Instant> at, Optional<String> title, Optional<String> body) {
    this(at, title, body, List.of(), Optional.empty());
  }

  /// The background to use while the tracker cannot be reached.
  public Background background(Optional<URI> link) {
    return title.isEmpty() && body.filter(text -> !text.isBlank()).isEmpty()
        ? Background.NONE
        : new Background("Issue", title, body.orElse(""), List.of(), link, List.of(), 0);
  }
}
