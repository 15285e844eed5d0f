package dev.runnel.store;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.store.row.Urgency;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Decides which conversations of a queue get a step next: urgent ones first, then people in turns,
/// and the places of a person in turns. Nobody waits behind the rows of others, only for a step to
/// end. Thread-safe.
///
/// The rows are authoritative, so what does not fit in memory is refused and found again later
/// ([#isRoomForRefused]).
final class FairTurns {
  /// Steps of a queue at the same time.
  static final int MOST = 64;

  /// Urgent steps, and other ones, leave a quarter of the steps to each other.
  static final int MOST_OF_CLASS = 48;

  /// One person leaves steps to others even when nobody else waits, since steps may be slow.
  static final int MOST_OF_PERSON = 32;

  static final int MOST_WAITING = 10_000;

  /// A conversation that was released and has not begun by then was taken by another node.
  private static final Duration BEGINS_WITHIN = Duration.ofMillis(250);

  /// A step that was released or has begun.
  ///
  /// @param until when another node must have taken it, in nanoseconds; empty once it has begun
  /// @param again the turn for rows that were added since it was released
  private record Step(Turn turn, Optional<Long> until, Optional<Turn> again) {
    boolean hasBegun() {
      return until.isEmpty();
    }
  }

  /// The conversations of one person by place. The next place is the first.
  private static final class Places {
    final Map<String, LinkedHashSet<Conversation>> byPlace = new LinkedHashMap<>();
  }

  private record Holder(String owner, boolean isUrgent) {}

  private final LongSupplier nanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // All guarded by the lock.
  private final Map<Conversation, Turn> waiting = new HashMap<>();
  private final Map<Urgency, Map<String, Places>> order = new EnumMap<>(Urgency.class);
  private final Map<String, Integer> waitingOf = new HashMap<>();
  private final Map<Conversation, Step> steps = new HashMap<>();
  private final Map<Holder, Integer> stepsOf = new HashMap<>();
  private int urgentSteps;
  private boolean hasRefused;

  FairTurns() {
    this(System::nanoTime);
  }

  /// @param nanos a monotonic time source in nanoseconds
  FairTurns(LongSupplier nanos) {
    this.nanos = nanos;
    for (var urgency : Urgency.values()) {
      order.put(urgency, new LinkedHashMap<>());
    }
  }

  /// Adds a conversation with rows that are due. It need not be added while its step runs: whoever
  /// ends the step asks for its rows again.
  void add(Turn turn) {
    lock.lock();
    try {
      var step = steps.get(turn.conversation());
      if (step != null) {
        if (!step.hasBegun()) {
          var again = step.again().map(turn::or).orElse(turn);
          steps.put(turn.conversation(), new Step(step.turn(), step.until(), Optional.of(again)));
        }
        return;
      }
      enqueue(turn);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void enqueue(Turn turn) {
    var known = waiting.get(turn.conversation());
    if (known != null) {
      if (known.or(turn).equals(known)) {
        return;
      }
      dequeue(known);
    } else if (waiting.size() >= MOST_WAITING && !makeRoomFor(turn)) {
      return;
    }
    waiting.put(turn.conversation(), turn);
    waitingOf.merge(turn.owner(), 1, Integer::sum);
    people(turn.urgency())
        .computeIfAbsent(turn.owner(), _ -> new Places())
        .byPlace
        .computeIfAbsent(turn.place(), _ -> new LinkedHashSet<>())
        .add(turn.conversation());
  }

  private void dequeue(Turn turn) {
    waiting.remove(turn.conversation());
    waitingOf.computeIfPresent(turn.owner(), (_, count) -> count == 1 ? null : count - 1);
    var people = people(turn.urgency());
    var places = people.get(turn.owner());
    if (places == null) {
      return;
    }
    var conversations = places.byPlace.get(turn.place());
    if (conversations != null) {
      conversations.remove(turn.conversation());
      if (conversations.isEmpty()) {
        places.byPlace.remove(turn.place());
      }
    }
    if (places.byPlace.isEmpty()) {
      people.remove(turn.owner());
    }
  }

  /// Refuses a turn of whoever has most of them: a flood of one person does not keep others out,
  /// and no flood keeps out what is urgent.
  ///
  /// @return false if the new one is refused
  private boolean makeRoomFor(Turn turn) {
    hasRefused = true;
    var most = waitingOf.entrySet().stream().max(Map.Entry.comparingByValue());
    var last = most.flatMap(it -> lastOf(it.getKey()));
    var isRoom =
        last.isPresent()
            && (turn.urgency().compareTo(last.get().urgency()) < 0
                || most.get().getValue() > waitingOf.getOrDefault(turn.owner(), 0) + 1);
    if (isRoom) {
      dequeue(last.get());
    }
    return isRoom;
  }

  /// A turn of the person that is taken late: a least urgent one, the last at its place.
  private Optional<Turn> lastOf(String owner) {
    for (var urgency : List.of(Urgency.values()).reversed()) {
      var places = people(urgency).get(owner);
      if (places != null) {
        var place = places.byPlace.values().iterator().next();
        return Optional.ofNullable(waiting.get(place.getLast()));
      }
    }
    return Optional.empty();
  }

  /// Whether turns were refused, and half of the room is free again. The rows must then be read
  /// again.
  boolean isRoomForRefused() {
    lock.lock();
    try {
      var isRoom = hasRefused && waiting.size() <= MOST_WAITING / 2;
      hasRefused &= !isRoom;
      return isRoom;
    } finally {
      lock.unlock();
    }
  }

  /// Waits until a step is free for a conversation, and releases it.
  Turn take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        var next = tryTake();
        if (next.isPresent()) {
          return next.get();
        }
        if (steps.values().stream().allMatch(Step::hasBegun)) {
          changed.await();
        } else {
          var _ = changed.await(BEGINS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /// The next conversation, which is released; empty if none waits or no step is free.
  Optional<Turn> tryTake() {
    lock.lock();
    try {
      forgetTaken();
      for (var urgency : Urgency.values()) {
        var next = next(urgency);
        if (next != null) {
          dequeue(next);
          occupy(next, Optional.of(nanos.getAsLong() + BEGINS_WITHIN.toNanos()));
          return Optional.of(next);
        }
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Turn next(Urgency urgency) {
    var people = people(urgency);
    for (var person : people.entrySet()) {
      var places = person.getValue();
      var place = places.byPlace.entrySet().iterator().next();
      var turn = waiting.get(place.getValue().getFirst());
      if (turn != null && isFree(turn)) {
        // Both go to the end of their line.
        places.byPlace.remove(place.getKey());
        places.byPlace.put(place.getKey(), place.getValue());
        people.remove(person.getKey());
        people.put(person.getKey(), places);
        return turn;
      }
      if (turn == null || isClassFull(turn.isUrgent())) {
        return null;
      }
    }
    return null;
  }

  private boolean isFree(Turn turn) {
    return !isClassFull(turn.isUrgent())
        && stepsOf.getOrDefault(new Holder(turn.owner(), turn.isUrgent()), 0) < MOST_OF_PERSON;
  }

  private boolean isClassFull(boolean isUrgent) {
    return steps.size() >= MOST
        || (isUrgent ? urgentSteps : steps.size() - urgentSteps) >= MOST_OF_CLASS;
  }

  /// Begins the step of a conversation.
  ///
  /// @return false if it was not released here: it must be admitted
  boolean begin(Conversation conversation) {
    lock.lock();
    try {
      var step = steps.get(conversation);
      if (step == null || step.hasBegun()) {
        return false;
      }
      // The step sees all rows that were added since it was released.
      steps.put(conversation, new Step(step.turn(), Optional.empty(), Optional.empty()));
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Begins the step of a conversation that was not released here, because its time came or another
  /// node released it.
  ///
  /// @return false if no step is free: it waits for its turn
  boolean admit(Turn turn) {
    lock.lock();
    try {
      if (steps.containsKey(turn.conversation()) || !isFree(turn)) {
        return false;
      }
      var known = waiting.get(turn.conversation());
      if (known != null) {
        dequeue(known);
      }
      occupy(turn, Optional.empty());
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Whether a step of the conversation runs in this process.
  boolean isRunning(Conversation conversation) {
    lock.lock();
    try {
      var step = steps.get(conversation);
      return step != null && step.hasBegun();
    } finally {
      lock.unlock();
    }
  }

  /// Whether the conversation waits or has a step.
  boolean knows(Conversation conversation) {
    lock.lock();
    try {
      return waiting.containsKey(conversation) || steps.containsKey(conversation);
    } finally {
      lock.unlock();
    }
  }

  /// Ends the step of a conversation, also of one that was released and cannot begin.
  void end(Conversation conversation) {
    lock.lock();
    try {
      var step = steps.get(conversation);
      if (step != null) {
        vacate(step);
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /// The number of conversations that wait.
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  private void occupy(Turn turn, Optional<Long> until) {
    steps.put(turn.conversation(), new Step(turn, until, Optional.empty()));
    stepsOf.merge(new Holder(turn.owner(), turn.isUrgent()), 1, Integer::sum);
    urgentSteps += turn.isUrgent() ? 1 : 0;
  }

  private void vacate(Step step) {
    var turn = step.turn();
    steps.remove(turn.conversation());
    stepsOf.computeIfPresent(
        new Holder(turn.owner(), turn.isUrgent()), (_, count) -> count == 1 ? null : count - 1);
    urgentSteps -= turn.isUrgent() ? 1 : 0;
    step.again().ifPresent(this::enqueue);
  }

  /// Frees the steps of conversations that another node has taken.
  private void forgetTaken() {
    var now = nanos.getAsLong();
    steps.values().stream()
        .filter(step -> step.until().filter(until -> until - now <= 0).isPresent())
        .toList()
        .forEach(this::vacate);
  }

  private Map<String, Places> people(Urgency urgency) {
    var people = order.get(urgency);
    if (people == null) {
      throw new IllegalStateException("No order for " + urgency);
    }
    return people;
  }
}
