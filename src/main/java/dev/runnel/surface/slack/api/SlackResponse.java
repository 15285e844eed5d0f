package dev.runnel.surface.slack.api;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/// The result of a call to Slack.
public sealed interface SlackResponse<T> {
  record Ok<T>(T value) implements SlackResponse<T> {}

  /// A temporary failure, or one after which it is unknown whether the call had its effect.
  record Wait<T>(Optional<Duration> after, String why) implements SlackResponse<T> {}

  /// A permanent failure.
  ///
  /// @param error Slack's error code: `channel_not_found`
  record No<T>(String error) implements SlackResponse<T> {}

  /// Casts a failure to a response of another value type.
  ///
  /// @throws IllegalStateException when there is a value
  default <R> SlackResponse<R> as() {
    return switch (this) {
      case Ok<T> _ -> throw new IllegalStateException("Has a value");
      case Wait<T>(Optional<Duration> after, String why) -> new Wait<>(after, why);
      case No<T>(String error) -> new No<>(error);
    };
  }

  default <R> SlackResponse<R> map(Function<T, R> change) {
    return flatMap(value -> new Ok<>(change.apply(value)));
  }

  /// Makes the next call with the value.
  default <R> SlackResponse<R> flatMap(Function<T, SlackResponse<R>> next) {
    return switch (this) {
      case Ok<T>(T value) -> next.apply(value);
      case Wait<T>(Optional<Duration> after, String why) -> new Wait<>(after, why);
      case No<T>(String error) -> new No<>(error);
    };
  }
}
