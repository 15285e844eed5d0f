package dev.runnel.testkit;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.port.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The approvals of a [MemoryStore].
final class MemoryApprovals implements Store.Approvals {
  private final Map<DeliveryId, Approval> approvals;

  MemoryApprovals() {
    this(Map.of());
  }

  private MemoryApprovals(Map<DeliveryId, Approval> approvals) {
    this.approvals = new LinkedHashMap<>(approvals);
  }

  MemoryApprovals copy() {
    return new MemoryApprovals(approvals);
  }

  @Override
  public void add(Approval approval) {
    approvals.putIfAbsent(approval.delivery(), approval);
  }

  @Override
  public Optional<Approval> of(DeliveryId delivery) {
    return Optional.ofNullable(approvals.get(delivery));
  }

  @Override
  public List<Approval> startingWith(String id) {
    return new ArrayList<>(approvals.values())
        .reversed().stream().filter(it -> it.id().startsWith(id.toLowerCase(Locale.ROOT))).toList();
  }

  @Override
  public List<Approval> waiting(Optional<Conversation> conversation) {
    return approvals.values().stream()
        .filter(it -> it.state() == State.WAITING)
        .filter(it -> conversation.isEmpty() || it.conversation().equals(conversation.get()))
        .toList();
  }

  @Override
  public boolean decide(DeliveryId delivery, State state, Optional<Actor> by, Instant at) {
    var known = approvals.get(delivery);
    if (known == null || known.state() != State.WAITING) {
      return false;
    }
    approvals.put(
        delivery,
        new Approval(
            known.id(),
            delivery,
            known.conversation(),
            known.requester(),
            known.rule(),
            known.by(),
            known.notRequester(),
            known.request(),
            known.askedAt(),
            known.expiresAt(),
            state,
            by.map(Actor::name)));
    return true;
  }

  /// In words that are the same for the same approvals.
  @Override
  public String toString() {
    return approvals.toString();
  }
}
