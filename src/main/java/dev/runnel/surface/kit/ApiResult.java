package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;

/// The result of a call to a tracker's API.
public sealed interface ApiResult {
  record Done(JsonNode body) implements ApiResult {}

  /// A temporary failure, or one after which it is unknown whether the call had its effect.
  record Busy(Optional<Duration> after, String why) implements ApiResult {}

  /// The resource does not exist, or the token has no access to it.
  record Gone(String why) implements ApiResult {}

  /// A permanent failure.
  ///
  /// @param why one sentence on what to do
  record Refused(String why) implements ApiResult {}

  /// The body; empty if the resource does not exist or may not be read.
  ///
  /// @throws TrackerUnavailable after a temporary failure
  default Optional<JsonNode> found() {
    return switch (this) {
      case Done(var body) -> Optional.of(body);
      case Busy(var after, var why) -> throw new TrackerUnavailable(after, why);
      case Gone _, Refused _ -> Optional.empty();
    };
  }

  /// The body of a resource without which the caller cannot continue.
  ///
  /// @throws TrackerUnavailable after any failure
  default JsonNode required() {
    return switch (this) {
      case Done(var body) -> body;
      case Busy(var after, var why) -> throw new TrackerUnavailable(after, why);
      case Gone(var why) -> throw new TrackerUnavailable(Optional.empty(), why);
      case Refused(var why) -> throw new TrackerUnavailable(Optional.empty(), why);
    };
  }
}
