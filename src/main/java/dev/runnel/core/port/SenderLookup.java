package dev.runnel.core.port;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.GroupLookup;
import java.time.ZoneId;
import java.util.Optional;
import java.util.Set;

/// What a platform knows about the senders of deliveries. Methods may make network calls.
public interface SenderLookup {
  /// Nothing is known: what was verified is admitted.
  SenderLookup NONE = new SenderLookup() {};

  /// Checks what [Surface#receive] could not check without network calls: the sender's permission,
  /// and whether the delivery is what it seems to be. Called before the delivery has any effect, on
  /// the surface that received it; its conversation may belong to another surface.
  default Admission admit(Delivery delivery) {
    return Admission.ADMITTED;
  }

  /// Which groups of the platform contain the delivery's sender.
  ///
  /// @param names what a policy names on this platform, without the platform's name:
  ///   `group:S0PLAT`, `team:acme/platform`. Names of people and unknown groups may be among them
  default GroupLookup groups(Delivery delivery, Set<String> names) {
    return GroupLookup.NONE;
  }

  /// Whether an operator of Runnel sent the delivery, so that no policy restricts it.
  default boolean isByOperator(Delivery delivery) {
    return false;
  }

  /// The names that rules may use for the delivery's sender, on any platform; empty if the sender
  /// has an account of this platform, so that the names follow from it.
  default Optional<Set<String>> names(Delivery delivery) {
    return Optional.empty();
  }

  /// The delivery's sender, as far as the platform knows them.
  default Actor.Author author(Delivery delivery) {
    return new Actor.Author(delivery.actor().name(), Optional.empty());
  }

  /// The time zone of the delivery's sender, as far as the platform knows.
  default Optional<ZoneId> timeZone(Delivery delivery) {
    return Optional.empty();
  }
}
