package dev.runnel.testkit;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.Store;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Issues and guests, in memory.
final class MemoryIssues implements Store.Issues {
  private final Map<Conversation, Claim> claims = new LinkedHashMap<>();
  private final Map<Conversation, Guest> guests = new LinkedHashMap<>();

  MemoryIssues copy() {
    var copy = new MemoryIssues();
    copy.claims.putAll(claims);
    copy.guests.putAll(guests);
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
  public Optional<Guest> guest(Conversation conversation) {
    return Optional.ofNullable(guests.get(conversation));
  }

  @Override
  public void invite(Conversation conversation, Guest guest) {
    guests.put(conversation, guest);
  }

  @Override
  public void leave(Conversation conversation) {
    guests.remove(conversation);
  }
}
