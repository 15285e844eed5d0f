package dev.runnel.core.port;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.run.Background;

/// Reads what people said before they asked.
@FunctionalInterface
public interface BackgroundReader {
  BackgroundReader NONE = _ -> Background.NONE;

  /// The conversation before the delivery, as context for the agent.
  ///
  /// @throws BackgroundUnavailable if the platform cannot be read now
  Background read(Delivery delivery);

  /// Whether only some people can read the conversation of the delivery, or whether that is
  /// unknown.
  default boolean isPrivate(Delivery delivery) {
    return false;
  }
}
