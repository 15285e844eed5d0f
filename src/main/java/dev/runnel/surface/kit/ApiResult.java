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
}
