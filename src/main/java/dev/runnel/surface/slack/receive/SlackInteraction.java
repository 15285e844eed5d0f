package dev.runnel.surface.slack.receive;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Instant;
import java.util.Optional;

/// The common fields of interactions: button presses, shortcuts and modal submissions.
///
/// @param trigger unique per interaction; may be empty
/// @param address the URL for private answers
record SlackInteraction(
    String team,
    String user,
    String name,
    String trigger,
    Optional<String> address,
    Instant arrivedAt) {

  /// @return empty when the workspace or the user is unknown
  static Optional<SlackInteraction> of(
      String team, String user, String name, String trigger, String address, Instant arrivedAt) {
    return team.isEmpty() || user.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new SlackInteraction(
                team,
                user,
                name,
                trigger,
                Optional.of(address).filter(it -> !it.isEmpty()),
                arrivedAt));
  }

  SlackPlace home() {
    return SlackPlace.home(team, user);
  }

  Delivery delivery(String id, String meaning, SlackPlace place, Intent intent, Origin origin) {
    return new Delivery(
        DeliveryId.of(SlackPlace.SURFACE, id),
        meaning,
        place.conversation(),
        SlackPayloads.actor(user, name),
        intent,
        true,
        origin,
        arrivedAt);
  }
}
