package dev.runnel.core.dispatch;

import dev.runnel.core.decide.Changes;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Outcome;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.Receipt;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunState;
import dev.runnel.core.model.Stop;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import dev.runnel.core.text.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A stop: it overtakes what waits, also a start whose answer was lost, and it is over only when
/// that is settled.
final class Stops {
  private static final Logger log = LoggerFactory.getLogger(Stops.class);

  private final Store store;
  private final AgentRuns runs;
  private final Starts starts;
  private final Turns turns;

  Stops(Store store, AgentRuns runs, Starts starts, Turns turns) {
    this.store = store;
    this.runs = runs;
    this.starts = starts;
    this.turns = turns;
  }

  /// Stops the run, and takes back what waits.
  void cancel(Turn turn, Plan.CancelRun plan) {
    if (!ask(turn, plan.binding())) {
      return;
    }
    var withdrawn = withdraw(turn);
    if (withdrawn.isEmpty()) {
      return;
    }
    var taken = withdrawn.get();
    switch (runs.cancel(plan.binding().run().id())) {
      case Outcome.Done(var run) ->
          finish(
              turn,
              taken,
              work -> {
                turn.received(work);
                keepUnsent(work, plan.binding(), taken);
                keepHandedBack(work, turn, plan.binding(), taken, run);
                Turns.tellChanges(work, turn, plan.binding(), run);
                var needless =
                    Turns.current(work, plan.binding())
                        .filter(current -> current.reopened() && run.state().isTerminal());
                needless.ifPresent(current -> Turns.watchNoMore(work, current));
                if (taken.any() && run.state() != RunState.CANCELLED) {
                  turn.tell(work, "Stopped before it started.");
                } else {
                  needless.ifPresent(
                      current ->
                          turn.tell(work, "Nothing to stop: " + Words.state(current, turn.now())));
                  if (needless.isEmpty() && hadFinished(run)) {
                    turn.tell(work, "It had already finished.");
                  }
                }
              });
      case Outcome.Missing _ ->
          finish(
              turn,
              taken,
              work -> {
                takeBack(work, turn, plan.binding());
                turn.tell(work, "The run service no longer has this run.");
              });
      // What waits goes on: so does the run.
      case Outcome.Refused refused ->
          turns.refuse(
              turn,
              withLink(refused, plan.binding().run()),
              work -> takeBack(work, turn, plan.binding()));
      case Outcome.Busy(var after, var why) -> waits(turn, taken.waiting(), after, why);
    }
  }

  private static boolean hadFinished(Run run) {
    return run.state().isTerminal() && run.state() != RunState.CANCELLED;
  }

  /// Where people can stop it themselves.
  private static Outcome.Refused withLink(Outcome.Refused refused, Run run) {
    return new Outcome.Refused(refused.code(), refused.why(), refused.link().or(run::session));
  }

  /// The status post says that a stop is on its way, and whose.
  ///
  /// @return false when another node has taken the turn over
  private boolean ask(Turn turn, Binding binding) {
    return turns.keep(
        turn,
        work ->
            Turns.current(work, binding)
                .filter(current -> current.stop().isEmpty())
                .filter(current -> !current.run().state().isTerminal())
                .map(
                    current ->
                        current.stopping(
                            Optional.of(
                                Stop.asked(turn.delivery().actor(), turn.delivery().arrivedAt()))))
                .ifPresent(current -> show(work, turn, current)));
  }

  /// The stop is not to be; the run goes on.
  private static void takeBack(Work work, Turn turn, Binding binding) {
    Turns.current(work, binding)
        .filter(current -> current.stop().isPresent())
        .map(current -> current.stopping(Optional.empty()))
        .ifPresent(current -> show(work, turn, current));
  }

  private static void show(Work work, Turn turn, Binding binding) {
    Turns.save(work, binding);
    turn.add(work, binding.conversation(), Changes.status(binding, binding.run(), turn.now()));
  }

  private static void keepUnsent(Work work, Binding binding, Withdrawn taken) {
    if (taken.unsent() > 0) {
      Turns.current(work, binding)
          .filter(current -> current.stop().isPresent())
          .ifPresent(
              current ->
                  Turns.save(
                      work,
                      current.stopping(
                          current.stop().map(stop -> stop.leavingUnsent(taken.unsent())))));
    }
  }

  /// What was said without an answer, and reached the run before the stop did.
  private static void keepHandedBack(
      Work work, Turn turn, Binding binding, Withdrawn taken, Run run) {
    for (var waiting : taken.waiting()) {
      var said = waiting.item();
      if (run.replies().filter(replies -> replies.unread().contains(said.id())).isPresent()) {
        var reply =
            new Turn(said, work.inbox().joined(said.id()), waiting.tries(), turn.now()).reply(run);
        Turns.current(work, binding).ifPresent(current -> Turns.save(work, current.keeping(reply)));
      }
    }
  }

  /// There is no run to stop; what waits may be meant.
  void tell(Turn turn, List<Update> updates) {
    withdraw(turn)
        .ifPresent(taken -> finish(turn, taken, work -> tellOf(work, turn, taken, updates)));
  }

  /// @param otherwise what is said where nothing waited
  private static void tellOf(Work work, Turn turn, Withdrawn taken, List<Update> otherwise) {
    if (!taken.ended().isEmpty()) {
      turn.tell(work, "Nothing to stop: the run had ended.");
    } else if (taken.any()) {
      turn.tell(work, "Stopped before it started.");
    } else {
      otherwise.forEach(update -> turn.add(work, update));
    }
  }

  /// A stop that nobody addressed to us is answered only where it stops something that waits here;
  /// a label that came off never is.
  void ignore(Turn turn) {
    var isSaid = turn.delivery().intent() instanceof Intent.Cancel(_, var why) && why.isEmpty();
    withdraw(turn)
        .ifPresent(
            taken ->
                finish(
                    turn,
                    taken,
                    work -> {
                      if (isSaid && taken.isForUs()) {
                        tellOf(work, turn, taken, List.of());
                      }
                    }));
  }

  /// What a stop takes back.
  ///
  /// @param waiting all of it
  /// @param ended what had started a run that came to its own end before it was stopped
  /// @param unsent how many messages a run would have been told, and was not
  private record Withdrawn(List<Pending<Delivery>> waiting, List<Ended> ended, int unsent) {
    boolean any() {
      return waiting.size() > ended.size();
    }

    /// Words between people may wait to be ignored.
    boolean isForUs() {
      return waiting.stream().anyMatch(each -> each.item().addressed());
    }
  }

  private record Ended(Pending<Delivery> start, Run run) {}

  /// Takes back what waits in the conversation, because a stop overtakes it. A start that may have
  /// happened already is looked for, and its run is stopped; while nobody can tell, the stop waits
  /// and all that it takes back waits behind it.
  ///
  /// @return empty when the turn is over
  private Optional<Withdrawn> withdraw(Turn turn) {
    var waiting =
        store.<List<Pending<Delivery>>>commit(
            work ->
                work.inbox().waiting(turn.conversation()).stream()
                    .filter(each -> !each.item().arrivedAt().isAfter(turn.delivery().arrivedAt()))
                    .toList());
    var ended = new ArrayList<Ended>();
    for (var begun : waiting.stream().filter(each -> each.tries() > 0).toList()) {
      switch (stopStarted(begun.item())) {
        case Outcome.Done(var run) -> {
          if (run.state() != RunState.CANCELLED) {
            ended.add(new Ended(begun, run));
          }
        }
        case Outcome.Missing _ -> {}
        case Outcome.Busy(var after, var why) -> {
          waits(turn, waiting, after, why);
          return Optional.empty();
        }
        // It stays, to be bound and watched: it runs on.
        case Outcome.Refused refused -> {
          turns.refuse(turn, refused);
          return Optional.empty();
        }
      }
    }
    return Optional.of(new Withdrawn(waiting, ended, unsent(waiting)));
  }

  /// What was attempted may have arrived.
  private int unsent(List<Pending<Delivery>> waiting) {
    var said =
        waiting.stream()
            .map(Pending::item)
            .filter(each -> each.intent() instanceof Intent.Say)
            .toList();
    return said.isEmpty()
        ? 0
        : store.<Integer>commit(
            work -> (int) said.stream().filter(each -> isUnsaid(work, each)).count());
  }

  private static boolean isUnsaid(Work work, Delivery delivery) {
    return work.inbox()
        .known(delivery.conversation().surface(), delivery.meaning())
        .filter(Store.Inbox.Known::waits)
        .isPresent();
  }

  private void waits(
      Turn turn, List<Pending<Delivery>> behind, Optional<Duration> after, String why) {
    var due = turns.later(turn, after, why);
    store.change(
        work ->
            behind.forEach(each -> work.inbox().later(each.item().id(), due, "A stop goes first")));
  }

  /// What is taken back ends in the commit that says so, else a crash would leave it unsaid.
  private void finish(Turn turn, Withdrawn taken, Consumer<Work> result) {
    turns.finish(
        turn,
        work -> {
          taken.ended().forEach(each -> tellEnd(work, turn, each));
          taken.waiting().forEach(each -> takeBack(work, turn, each, taken));
          result.accept(work);
        });
    if (taken.any()) {
      log.info(
          "deliveries withdrawn conversation={} count={} at={}",
          turn.conversation(),
          taken.waiting().size(),
          turn.now());
    }
  }

  private static void takeBack(Work work, Turn turn, Pending<Delivery> waiting, Withdrawn taken) {
    var delivery = waiting.item();
    work.inbox().done(delivery.id());
    work.outbox().withdraw(Turns.kept(delivery));
    var isForUs = delivery.addressed() || work.bindings().of(delivery.conversation()).isPresent();
    if (isForUs && taken.ended().stream().noneMatch(each -> each.start().equals(waiting))) {
      new Turn(delivery, waiting.tries(), turn.now()).sign(work, Receipt.CANCELLED);
    }
  }

  /// The end of a run that nobody was told of yet, as of any run.
  private static void tellEnd(Work work, Turn turn, Ended ended) {
    var start = ended.start().item();
    start
        .intent()
        .words()
        .or(() -> work.bindings().of(start.conversation()).map(Binding::request))
        .ifPresent(
            request ->
                Starts.bind(
                    work,
                    new Turn(start, ended.start().tries(), turn.now()),
                    new Plan.StartRun(start.conversation(), request),
                    ended.run()));
  }

  /// Stops the run that the delivery may have started.
  private Outcome stopStarted(Delivery begun) {
    if (begun.origin().opensThread()) {
      return new Outcome.Missing();
    }
    return switch (starts.startedBy(begun)) {
      case Outcome.Done(var run) -> runs.cancel(run.id());
      case Outcome.Missing missing -> missing;
      case Outcome.Busy busy -> busy;
      case Outcome.Refused(var code, var why, _) ->
          new Outcome.Busy(Optional.empty(), code + ": " + why);
    };
  }
}
