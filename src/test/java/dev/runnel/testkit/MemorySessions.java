package dev.runnel.testkit;

import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Sessions;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Sessions and links in memory.
public final class MemorySessions implements Sessions {
  private final Map<String, Instant> sessions = new HashMap<>();
  private final Map<String, Instant> links = new HashMap<>();
  private final Map<String, SignedInPerson> people = new HashMap<>();
  private final Map<String, Map.Entry<Attempt, Instant>> attempts = new HashMap<>();
  private final Map<String, Map.Entry<RunId, Instant>> shares = new HashMap<>();
  private boolean isDown;
  private boolean endsAfterARead;

  /// From now on no session can be read.
  public synchronized void isDown() {
    isDown = true;
  }

  /// From now on a session ends as soon as it was read.
  public synchronized void endAfterARead() {
    endsAfterARead = true;
  }

  @Override
  public synchronized void begin(String secret, Instant until) {
    sessions.put(secret, until);
  }

  @Override
  public synchronized void begin(String secret, Instant until, SignedInPerson person) {
    begin(secret, until);
    people.put(secret, person);
  }

  @Override
  public synchronized Optional<SignedInPerson> person(String secret, Instant now) {
    return isOpen(secret, now) ? Optional.ofNullable(people.get(secret)) : Optional.empty();
  }

  @Override
  public synchronized Set<String> names(String person, Instant now) {
    return people.entrySet().stream()
        .filter(it -> it.getValue().id().equals(person))
        .filter(it -> sessions.getOrDefault(it.getKey(), Instant.MIN).isAfter(now))
        .max(Comparator.comparing(it -> sessions.getOrDefault(it.getKey(), Instant.MIN)))
        .map(it -> it.getValue().names())
        .orElse(Set.of());
  }

  @Override
  public synchronized void expect(String state, Attempt attempt, Instant until) {
    attempts.put(state, Map.entry(attempt, until));
  }

  @Override
  public synchronized Optional<Attempt> take(String state, Instant now) {
    return Optional.ofNullable(attempts.remove(state))
        .filter(it -> it.getValue().isAfter(now))
        .map(Map.Entry::getKey);
  }

  @Override
  public synchronized void share(String secret, RunId run, Instant until) {
    shares.put(secret, Map.entry(run, until));
  }

  @Override
  public synchronized Optional<RunId> shared(String secret, Instant now) {
    return Optional.ofNullable(shares.get(secret))
        .filter(it -> it.getValue().isAfter(now))
        .map(Map.Entry::getKey);
  }

  @Override
  public synchronized boolean isOpen(String secret, Instant now) {
    if (isDown) {
      throw new IllegalStateException("The database is down");
    }
    var isOpen = sessions.getOrDefault(secret, Instant.MIN).isAfter(now);
    if (endsAfterARead) {
      sessions.remove(secret);
    }
    return isOpen;
  }

  @Override
  public synchronized void end(String secret) {
    sessions.remove(secret);
  }

  @Override
  public synchronized void endAll() {
    sessions.clear();
    people.clear();
    attempts.clear();
    shares.clear();
    links.clear();
  }

  @Override
  public synchronized void offer(String link, Instant until) {
    links.put(link, until);
  }

  @Override
  public synchronized boolean redeem(String link, Instant now) {
    var until = links.getOrDefault(link, Instant.MIN);
    return until.isAfter(now) && links.remove(link) != null;
  }
}
