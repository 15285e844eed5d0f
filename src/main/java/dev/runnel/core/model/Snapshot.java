package dev.runnel.core.model;

import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// An issue as it was when somebody asked for work on it, as far as the delivery told. What is
/// written or changed afterwards was not asked for, and is not for the agent.
///
/// @param at when it was asked, by the tracker's own clock
/// @param title as people see it
/// @param body as people see it; empty where the delivery did not tell, `""` where there is none
public record Snapshot(Optional<Instant> at, Optional<String> title, Optional<String> body) {
  public static final Snapshot NONE =
      new Snapshot(Optional.empty(), Optional.empty(), Optional.empty());

  /// All there is to tell while the tracker cannot be asked.
  public Background background(Optional<URI> link) {
    return title.isEmpty() && body.filter(text -> !text.isBlank()).isEmpty()
        ? Background.NONE
        : new Background("Issue", title, body.orElse(""), List.of(), link, List.of(), 0);
  }
}
