package dev.runnel.store;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.store.row.Urgency;

/// A conversation that waits for a step.
///
/// @param person whose rows these are; empty if unknown
record Turn(Conversation conversation, Urgency urgency, String person) {
  /// Where it is: a channel, a repository.
  String place() {
    return conversation.surface() + ":" + conversation.place();
  }

  /// Who takes turns with others: the person, or the place if the person is unknown.
  String owner() {
    return person.isEmpty() ? place() : person;
  }

  /// The part of the steps that it may take: urgent ones never wait behind others.
  boolean isUrgent() {
    return urgency == Urgency.FIRST;
  }

  /// The more urgent of two turns of the same conversation.
  Turn or(Turn other) {
    return other.urgency.compareTo(urgency) < 0 ? other : this;
  }
}
