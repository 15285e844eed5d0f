package dev.runnel.core.watch;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Surface;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Surfaces;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks each platform for messages that it did not deliver: after a start and periodically, because
/// platforms give up on deliveries. Messages that it finds are accepted like any delivery; known
/// ones have no effect. It also repairs status posts that are missing or outdated.
public final class MissedDeliveryPoller {
  private static final Logger log = LoggerFactory.getLogger(MissedDeliveryPoller.class);

  private static final Duration INTERVAL = Duration.ofMinutes(15);
  private static final Duration INTERVAL_AFTER_FAILURE = Duration.ofMinutes(1);
  private static final Duration INTERVAL_UNTIL_CONTINUED = Duration.ofMinutes(1);

  /// Older messages are ignored, because nobody expects them to start a run any more.
  private static final Duration MAX_AGE = Duration.ofHours(24);

  /// Allows for clock differences and for deliveries in transit.
  private static final Duration OVERLAP = Duration.ofMinutes(2);

  private static final Duration LATEST_DELIVERY = Duration.ofMinutes(10);
  private static final int MAX_CONVERSATIONS = 100;

  private final Store store;
  private final Surfaces surfaces;
  private final InstantSource clock;

  /// Where the next checks continue long lists. The stored mark stays until a list is read to its
  /// end, so another process begins such a list anew.
  private final Map<SurfaceId, Position> positions = new ConcurrentHashMap<>();

  /// When the platforms may be asked that asked for a pause.
  private final Map<SurfaceId, Instant> pauses = new ConcurrentHashMap<>();

  /// @param isUnread whether an earlier part of the list could not be read
  private record Position(Instant at, boolean isUnread) {}

  /// @param clock the time of the platforms, as far as it is known; the workers' clock may be ahead
  ///   of it for hours, after the machine's clock was set back
  public MissedDeliveryPoller(Store store, Surfaces surfaces, InstantSource clock) {
    this.store = store;
    this.surfaces = surfaces;
    this.clock = clock;
  }

  /// Checks all surfaces once.
  ///
  /// @return when to check again
  public Instant step(Instant now) {
    var next = now.plus(INTERVAL);
    for (var surface : surfaces.byId().values()) {
      var id = surface.id();
      repair(id, now);
      if (!now.isBefore(pauses.getOrDefault(id, now))) {
        pauses.remove(id);
        check(surface, now).ifPresent(wait -> pauses.put(id, now.plus(wait)));
      }
      var again = pauses.getOrDefault(id, next);
      next = again.isBefore(next) ? again : next;
    }
    return next;
  }

  /// @return the delay until the next check if this one failed
  private Optional<Duration> check(Surface surface, Instant now) {
    var id = surface.id();
    var platformTime = clock.instant();
    var through = store.commit(work -> work.inbox().readThrough(id));
    if (through.isEmpty()) {
      // The first start: earlier messages were not meant for Runnel.
      saveReadThrough(id, platformTime);
      return Optional.empty();
    }
    var since = since(through.get(), platformTime);
    var position = Optional.ofNullable(positions.get(id)).filter(it -> it.at().isAfter(since));
    var from = position.map(Position::at).orElse(since);
    MissedDeliveries missedDeliveries;
    try {
      missedDeliveries = surface.missed().since(since, from, conversations(id));
    } catch (CredentialRefused refused) {
      store.change(work -> OutageRecovery.hold(work, id, refused.why(), now));
      return Optional.of(INTERVAL_AFTER_FAILURE);
    } catch (RuntimeException broken) {
      log.error("unexpected error in check for missed deliveries surface={}", id, broken);
      return Optional.empty();
    }
    return switch (missedDeliveries) {
      case MissedDeliveries.Listed(var all, var unread, var continueAt) -> {
        var count =
            all.stream().filter(each -> isMissed(each) && store.accept(each.delivery())).count();
        if (count > 0) {
          log.info(
              "missed deliveries accepted surface={} count={} since={}", id, count, through.get());
        }
        unread.ifPresent(
            why -> log.warn("check for missed deliveries incomplete surface={} why={}", id, why));
        var isUnread = unread.isPresent() || position.filter(Position::isUnread).isPresent();
        if (continueAt.filter(from::isBefore).isPresent()) {
          positions.put(id, new Position(continueAt.get(), isUnread));
          yield Optional.of(INTERVAL_UNTIL_CONTINUED);
        }
        positions.remove(id);
        // Otherwise the next check begins at the same instant; known messages have no effect.
        if (!isUnread) {
          saveReadThrough(id, platformTime);
        }
        yield Optional.empty();
      }
      case MissedDeliveries.Unknown(var after, var why) -> {
        log.warn("check for missed deliveries postponed surface={} why={}", id, why);
        yield Optional.of(after.orElse(INTERVAL_AFTER_FAILURE));
      }
    };
  }

  /// Posts the status again if its post is missing or outdated, because its notice was parked or
  /// discarded.
  private void repair(SurfaceId surface, Instant now) {
    for (var conversation : conversations(surface)) {
      store.change(
          work ->
              work.bindings()
                  .of(conversation)
                  .filter(binding -> binding.since().isAfter(now.minus(MAX_AGE)))
                  .filter(binding -> !isShown(work, binding))
                  .ifPresent(
                      binding -> {
                        log.info("status repaired run={}", binding.run().id());
                        work.outbox().add(status(binding, now));
                      }));
    }
  }

  private static boolean isShown(Store.Work work, Binding binding) {
    return work.outbox()
        .postedRun(binding.conversation(), binding.run().id())
        .filter(shown -> shown.stateName().equals(binding.run().stateName()))
        .isPresent();
  }

  private static Notice status(Binding binding, Instant now) {
    return new Notice(
        NoticeId.random(),
        binding.conversation(),
        new Update.Status(
            binding.run(), binding.requester(), binding.request(), binding.since(), now),
        binding.origin(),
        now,
        0);
  }

  private static Instant since(Instant through, Instant now) {
    var earliest = now.minus(MAX_AGE);
    var since = through.minus(OVERLAP);
    // A mark in the future was made by a clock that was wrong, and says nothing.
    return since.isBefore(earliest) || since.isAfter(now) ? earliest : since;
  }

  private List<Conversation> conversations(SurfaceId surface) {
    return store.read(
        bindings ->
            bindings.recent(Optional.of(surface), "", MAX_CONVERSATIONS).stream()
                .map(Binding::conversation)
                .distinct()
                .toList());
  }

  /// Whether the message was not delivered yet. If its key cannot tell, a delivery of the same kind
  /// at about the same time counts as the same message.
  private boolean isMissed(MissedDeliveries.ListedDelivery listed) {
    var delivery = listed.delivery();
    return listed.sameMeaning()
        || store
            .commit(
                work ->
                    work.inbox()
                        .acceptedBetween(
                            delivery.conversation(),
                            listed.at().minus(OVERLAP),
                            listed.at().plus(LATEST_DELIVERY)))
            .stream()
            .noneMatch(known -> kind(known.intent()).equals(kind(delivery.intent())));
  }

  /// The kind of an intent. A processed change of a pull request is stored as its other intent, if
  /// it has one.
  private static Object kind(Intent intent) {
    return intent instanceof Intent.PullRequestChanged(_, var state, _, var then)
        ? then.<Object>map(Object::getClass).orElse(state)
        : intent.getClass();
  }

  private void saveReadThrough(SurfaceId surface, Instant through) {
    store.change(
        work -> {
          work.inbox().readThrough(surface, through);
        });
  }
}
