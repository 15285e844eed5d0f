package dev.runnel.core.model.run;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.ListCopies;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// A person's request to stop a run.
///
/// @param done when the run stopped; empty while the stop is pending
/// @param unsent number of messages that waited for the run and were withdrawn
/// @param left the text of these messages, in order
/// @param why the action that implied the stop, where the person did not request it in words:
///   "removed the label"
public record StopRequest(
    Actor by,
    Instant asked,
    Optional<Instant> done,
    int unsent,
    List<String> left,
    Optional<String> why) {
  public StopRequest {
    // Rows of an older version have none.
    left = ListCopies.of(left);
    why = Objects.requireNonNullElse(why, Optional.empty());
  }

  public static StopRequest asked(Actor by, Instant at) {
    return new StopRequest(by, at, Optional.empty(), 0, List.of(), Optional.empty());
  }

  public StopRequest because(Optional<String> reason) {
    return new StopRequest(by, asked, done, unsent, left, reason);
  }

  public StopRequest doneAt(Instant at) {
    return new StopRequest(by, asked, Optional.of(at), unsent, left, why);
  }

  public StopRequest withUnsent(List<String> messages) {
    return new StopRequest(by, asked, done, messages.size(), messages, why);
  }
}
