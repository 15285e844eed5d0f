package dev.runnel.testkit;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.Store;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Issues and participations, in memory.
final class MemoryIssues implements Store.Issues {
  private final Map<Conversation, Claim> claims = new LinkedHashMap<>();
  private final Map<Conversation, Participation> participations = new LinkedHashMap<>();

  MemoryIssues copy() {
    var copy = new MemoryIssues();
    copy.claims.putAll(claims);
    copy.participations.putAll(participations);
    return copy;
  }

  @Override
  public Claim claim(Conversation issue, Claim claim) {
    claims.putIfAbsent(issue, claim);
    return claims.get(issue);
  }

  @Override
  public boolean replace(Conversation issue, Claim before, Claim now) {
    return claims.replace(issue, before, now);
  }

  @Override
  public Optional<Participation> participation(Conversation conversation) {
    return Optional.ofNullable(participations.get(conversation));
  }

  @Override
  public void join(Conversation conversation, Participation participation) {
    participations.put(conversation, participation);
  }

  @Override
  public void leave(Conversation conversation) {
    participations.remove(conversation);
  }
}
