package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;

/// What became of a call to a tracker.
public sealed interface ApiResult {
  record Done(JsonNode body) implements ApiResult {}

  /// Not now, or nobody knows whether it happened.
  record Busy(Optional<Duration> after, String why) implements ApiResult {}

  /// It is not there, or the token may not see it.
  record Gone(String why) implements ApiResult {}

  /// A final no.
  ///
  /// @param why one plain sentence with what to do
  record Refused(String why) implements ApiResult {}
}
