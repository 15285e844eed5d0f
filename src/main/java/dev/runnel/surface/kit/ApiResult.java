package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.Posting;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// The result of a call to a tracker's API.
public sealed interface ApiResult {
  record Done(JsonNode body) implements ApiResult {}

  /// Any result without a body.
  sealed interface Failure extends ApiResult {
    /// One sentence.
    String why();

    /// The result for a post that the call should have made.
    default Posting posting() {
      return this instanceof Busy(var after, var why)
          ? new Posting.Later(after, why)
          : new Posting.Undeliverable(why());
    }
  }

  /// A temporary failure, or one after which it is unknown whether the call had its effect.
  record Busy(Optional<Duration> after, String why) implements Failure {}

  /// The resource does not exist, or the token has no access to it.
  record Gone(String why) implements Failure {}

  /// A permanent failure.
  ///
  /// @param why one sentence on what to do
  record Refused(String why) implements Failure {}

  /// The result with another body, if it has one.
  default ApiResult map(UnaryOperator<JsonNode> change) {
    return this instanceof Done(var body) ? new Done(change.apply(body)) : this;
  }

  /// Why there is no body; empty if there is one.
  default Optional<Failure> failure() {
    return this instanceof Failure failure ? Optional.of(failure) : Optional.empty();
  }

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

  /// Whether the resource does not exist, or the token has no access to it.
  ///
  /// @throws TrackerUnavailable after a temporary failure
  default boolean isGone() {
    return found().isEmpty() && this instanceof Gone;
  }

  /// The body of a resource without which the caller cannot continue.
  ///
  /// @throws TrackerUnavailable after any failure
  default JsonNode required() {
    return switch (this) {
      case Done(var body) -> body;
      case Busy(var after, var why) -> throw new TrackerUnavailable(after, why);
      case Failure failure -> throw new TrackerUnavailable(Optional.empty(), failure.why());
    };
  }
}
