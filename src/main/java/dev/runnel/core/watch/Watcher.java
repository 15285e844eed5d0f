package dev.runnel.core.watch;

import dev.runnel.core.decide.AuditTrail;
import dev.runnel.core.decide.PollSchedule;
import dev.runnel.core.decide.RunSubscribers;
import dev.runnel.core.decide.RunUpdates;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.Store;
import dev.runnel.core.text.RunTexts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Watches all runs by listing the changed ones, without polling each run. Every minute or two an
/// audit lists all unfinished runs; only a run that is missing from that list is read individually.
///
/// A run that ended may be continued elsewhere. So changes are listed periodically for some days
/// after the last activity, even while no run is active.
///
/// The state kept between steps only saves requests: a new watcher reaches the same results.
/// Thread-safe.
public final class Watcher {
  private static final Logger log = LoggerFactory.getLogger(Watcher.class);
  private static final Duration AUDIT = Duration.ofMinutes(1);

  /// While many runs are active, an audit takes seconds, during which no end is noticed.
  private static final Duration AUDIT_OF_MANY = Duration.ofMinutes(2);

  /// A change that commits late may carry an earlier time than changes already seen.
  private static final Duration OVERLAP = Duration.ofSeconds(2);

  /// While many runs change, a longer overlap would fill a second page of each list. The audit
  /// finds what a list has missed.
  private static final Duration OVERLAP_OF_MANY = Duration.ofMillis(500);

  /// Number of active runs.
  private static final int MANY = 2_000;

  /// For how long after the last activity of any run ended runs are polled, and how often.
  private static final Duration ENDED_POLLED_FOR = Duration.ofDays(3);

  private static final Duration BETWEEN_POLLS_OF_ENDED = Duration.ofSeconds(30);

  /// Number of latest runs that are considered to find the last activity.
  private static final int NEWEST = 100;

  /// A change may have been read from a single run before older changes were listed.
  private static final Duration OUT_OF_ORDER = Duration.ofMinutes(10);

  /// Maximum number of runs whose changes are stored in one commit. So a burst of changes needs few
  /// commits, and none delays the deliveries that wait for theirs.
  private static final int MAX_CHANGES_PER_COMMIT = 20;

  /// Maximum number of runs read individually in one step, so that a faulty service is not flooded.
  private static final int MAX_SINGLE_READS = 20;

  private final Store store;
  private final AgentRuns runs;
  private final RunChangeListener listener;
  private final PollSchedule schedule = PollSchedule.DEFAULT;

  // Guarded by this.
  private @Nullable Instant cursor;
  private @Nullable Instant lastAudit;
  private Instant lastChange = Instant.EPOCH;
  private int failures;
  private int singleReads;
  private Instant endedUntil = Instant.EPOCH;
  private Instant nextPollOfEnded = Instant.EPOCH;

  public Watcher(Store store, AgentRuns runs, RunChangeListener listener) {
    this.store = store;
    this.runs = runs;
    this.listener = listener;
  }

  /// Polls once, and posts the changes. May be called at any rate while no run is active: then it
  /// only polls when a poll of ended runs is due.
  ///
  /// @return when to poll again; empty while no run is active
  public synchronized Optional<Instant> step(Instant now) {
    var active = countActive();
    if (active == 0) {
      lastChange = Instant.EPOCH;
      pollEnded(now);
      return countActive() == 0 ? Optional.empty() : Optional.of(now.plus(schedule.fast()));
    }
    endedUntil = now.plus(ENDED_POLLED_FOR);
    if (lastChange.equals(Instant.EPOCH)) {
      lastChange = now;
    }
    if (cursor == null) {
      cursor = earliestSeen();
    }
    var unavailable = Optional.<RunListing.Unavailable>empty();
    if (cursor != null) {
      var overlap = active > MANY ? OVERLAP_OF_MANY : OVERLAP;
      unavailable = apply(runs.changedSince(cursor.minus(overlap)), now);
    }
    if (unavailable.isEmpty() && isAuditDue(active, now)) {
      unavailable = audit(now);
    }
    if (unavailable.isPresent()) {
      failures++;
      var wait = schedule.afterFailure(failures, unavailable.get().retryAfter());
      log.warn(
          "runs not listed failures={} wait={} why={}", failures, wait, unavailable.get().why());
      return Optional.of(now.plus(wait));
    }
    failures = 0;
    return Optional.of(now.plus(schedule.afterPoll(now, lastChange)));
  }

  private int countActive() {
    return store.read(bindings -> bindings.countActive());
  }

  /// Makes one list request, however many runs have ended.
  private void pollEnded(Instant now) {
    if (now.isBefore(nextPollOfEnded) || !wasActiveRecently(now)) {
      return;
    }
    nextPollOfEnded = now.plus(BETWEEN_POLLS_OF_ENDED);
    if (cursor == null) {
      cursor = lastActivity().map(at -> at.minus(OUT_OF_ORDER)).orElse(now);
    }
    var unavailable = apply(runs.changedSince(cursor.minus(OVERLAP)), now);
    failures = unavailable.isPresent() ? failures + 1 : 0;
    if (failures == 1) {
      log.warn(
          "ended runs not listed why={}", unavailable.map(RunListing.Unavailable::why).orElse(""));
    }
  }

  /// Reads the last activity from the store, because another node may have watched meanwhile.
  private boolean wasActiveRecently(Instant now) {
    if (!now.isBefore(endedUntil)) {
      endedUntil = lastActivity().map(at -> at.plus(ENDED_POLLED_FOR)).orElse(Instant.EPOCH);
    }
    return now.isBefore(endedUntil);
  }

  private Optional<Instant> lastActivity() {
    return store
        .<List<Binding>>read(bindings -> bindings.recent(Optional.empty(), "", NEWEST))
        .stream()
        .flatMap(binding -> binding.run().updatedAt().stream())
        .max(Instant::compareTo);
  }

  private boolean isAuditDue(int active, Instant now) {
    return lastAudit == null
        || !now.isBefore(lastAudit.plus(active > MANY ? AUDIT_OF_MANY : AUDIT));
  }

  private @Nullable Instant earliestSeen() {
    return store
        .read(
            bindings ->
                bindings.active().stream()
                    .flatMap(binding -> binding.run().updatedAt().stream())
                    .min(Instant::compareTo))
        .orElse(null);
  }

  /// The cursor follows the stored changes, so that an interrupted step resumes there.
  private Optional<RunListing.Unavailable> apply(RunListing changed, Instant now) {
    return switch (changed) {
      case RunListing.Listed(var seen) -> {
        for (int from = 0; from < seen.size(); from += MAX_CHANGES_PER_COMMIT) {
          var some = seen.subList(from, Math.min(from + MAX_CHANGES_PER_COMMIT, seen.size()));
          record(some, now);
          some.stream()
              .flatMap(run -> run.updatedAt().stream())
              .filter(at -> cursor == null || at.isAfter(cursor))
              .forEach(at -> cursor = at);
        }
        yield Optional.empty();
      }
      case RunListing.Unavailable unavailable -> Optional.of(unavailable);
    };
  }

  private Optional<RunListing.Unavailable> audit(Instant now) {
    // Read before the list, because a run that is bound later may be missing from it.
    var active = store.read(bindings -> bindings.active());
    return switch (runs.unfinished()) {
      case RunListing.Listed(var seen) -> {
        // The cursor stays: changes that did not fit into the last list are listed later.
        for (int from = 0; from < seen.size(); from += MAX_CHANGES_PER_COMMIT) {
          var some = seen.subList(from, Math.min(from + MAX_CHANGES_PER_COMMIT, seen.size()));
          record(some, now);
          saveUsage(some);
        }
        var listed = seen.stream().map(Run::id).collect(Collectors.toSet());
        var unlisted =
            active.stream().filter(binding -> !listed.contains(binding.run().id())).toList();
        // Each audit continues where the last one stopped, so that every run is read eventually.
        for (int i = 0; i < Math.min(MAX_SINGLE_READS, unlisted.size()); i++) {
          readSingly(unlisted.get(Math.floorMod(singleReads++, unlisted.size())), now);
        }
        lastAudit = now;
        yield Optional.empty();
      }
      case RunListing.Unavailable unavailable -> Optional.of(unavailable);
    };
  }

  /// Saves how long agents have worked that write nothing: budgets count their time, but nobody
  /// sees a change of their runs.
  private void saveUsage(List<Run> seen) {
    var silent = seen.stream().filter(run -> store.read(it -> isSilent(it, run))).toList();
    if (!silent.isEmpty()) {
      store.change(
          work ->
              silent.stream()
                  // Another writer may have stored its end.
                  .filter(run -> isSilent(work.bindings(), run))
                  .forEach(run -> saveUsage(work, run)));
    }
  }

  private static void saveUsage(Store.Work work, Run run) {
    run.delivery()
        .ifPresent(
            delivery ->
                work.starts()
                    .saveUsage(
                        delivery,
                        run.id().value(),
                        run.runTime().orElse(Duration.ZERO),
                        run.costMicros()));
  }

  /// Whether the agent has worked for a while since the last change that was stored.
  private static boolean isSilent(Store.Bindings bindings, Run run) {
    return bindings
        .of(run.id())
        .filter(Binding::isActive)
        .filter(
            binding ->
                run.runTime()
                    .filter(
                        time ->
                            time.compareTo(
                                    binding.run().runTime().orElse(Duration.ZERO).plus(AUDIT))
                                >= 0)
                    .isPresent())
        .isPresent();
  }

  private void readSingly(Binding binding, Instant now) {
    switch (runs.find(binding.run().id())) {
      case Outcome.Done(var run) -> record(run, now);
      case Outcome.Missing _ -> record(gone(binding.run()), now);
      case Outcome.Refused(var code, _, _) ->
          log.warn("run service refused to show run={} code={}", binding.run().id(), code);
      case Outcome.Unavailable(_, var why) ->
          log.warn("run not read run={} why={}", binding.run().id(), why);
    }
  }

  private static Run gone(Run run) {
    return run.with(
        it ->
            it.state(RunState.FAILED)
                .stateName("GONE")
                .message(Optional.of(RunTexts.GONE))
                .retryable(true));
  }

  private void record(Run run, Instant now) {
    record(List.of(run), now);
  }

  private void record(List<Run> seen, Instant now) {
    var changed = seen.stream().filter(run -> isChanged(run, now)).toList();
    while (!changed.isEmpty()) {
      var open = changed;
      var saved = store.commit(work -> open.stream().map(run -> save(work, run, now)).toList());
      saved.forEach(each -> notifyListener(each, now));
      changed = saved.stream().filter(each -> !each.isDone()).map(Saved::run).toList();
    }
  }

  private boolean isChanged(Run run, Instant now) {
    return !updates(store.read(bindings -> bindings.of(run.id())), run, now).isEmpty();
  }

  private void notifyListener(Saved saved, Instant now) {
    saved
        .before()
        .ifPresent(
            before -> {
              var run = saved.run();
              // Progress changes each second while an agent works.
              var isNewState = !before.run().stateName().equals(run.stateName());
              log.atLevel(isNewState ? Level.INFO : Level.DEBUG)
                  .log("run changed run={} state={}", run.id(), run.stateName());
              listener.changed(before, run);
              lastChange = now;
            });
  }

  /// @param isDone false if another writer was first
  /// @param before the binding as it was before the change; empty if nothing was changed
  private record Saved(Run run, boolean isDone, Optional<Binding> before) {}

  private static Saved save(Store.Work work, Run run, Instant now) {
    var found = work.bindings().of(run.id());
    var updates = updates(found, run, now);
    if (updates.isEmpty()) {
      return new Saved(run, true, Optional.empty());
    }
    var binding = found.orElseThrow();
    if (!work.bindings().save(binding.seen(run))) {
      return new Saved(run, false, Optional.empty());
    }
    RunSubscribers.notifyAbout(work, binding, updates, now);
    AuditTrail.ended(work, binding, run, now);
    return new Saved(run, true, Optional.of(binding));
  }

  private static List<Update> updates(Optional<Binding> binding, Run run, Instant now) {
    return binding.map(it -> RunUpdates.between(it, run, now)).orElseGet(List::of);
  }
}
