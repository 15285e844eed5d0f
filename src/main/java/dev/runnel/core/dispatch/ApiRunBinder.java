package dev.runnel.core.dispatch;

import dev.runnel.core.decide.Planner;
import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Plan;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Binds a run that was started through the API to its conversation when somebody in the console
/// first writes to it or stops it. From then on, such messages are handled like those of a thread.
final class ApiRunBinder {
  private final AgentRuns runs;
  private final AttemptResults results;

  ApiRunBinder(AgentRuns runs, AttemptResults results) {
    this.runs = runs;
    this.results = results;
  }

  /// The situation with the binding that the run will have; unchanged if the delivery is not about
  /// such a run, or if the run is bound already. Nothing is stored yet, because the sender is not
  /// checked yet.
  ///
  /// @return empty if the attempt is finished, or repeated later
  Optional<Planner.Situation> withRun(DeliveryAttempt attempt, Planner.Situation situation) {
    var id =
        attempt
            .delivery()
            .intent()
            .namedRun()
            .filter(run -> ApiRuns.conversation(run).equals(attempt.conversation()))
            .filter(_ -> situation.named().isEmpty());
    if (id.isEmpty()) {
      return Optional.of(situation);
    }
    return switch (runs.find(id.get())) {
      // A thread asked for it, which alone is its place, although it is not bound, or not yet.
      case Outcome.Done(var run) when run.delivery().isPresent() -> Optional.of(situation);
      case Outcome.Done(var run) -> {
        var bound = Optional.of(binding(attempt.delivery(), run, attempt.now()));
        yield Optional.of(
            new Planner.Situation(bound, bound, situation.inPlace(), situation.waiting()));
      }
      case Outcome.Missing _ -> {
        results.reportMissingRun(attempt);
        yield Optional.empty();
      }
      case Outcome.Refused refused -> {
        results.refuse(attempt, refused);
        yield Optional.empty();
      }
      case Outcome.Unavailable(var after, var why) -> {
        results.retryLater(attempt, after, why);
        yield Optional.empty();
      }
    };
  }

  private static Binding binding(Delivery delivery, Run run, Instant now) {
    return new Binding(
        delivery.conversation(),
        run,
        ApiRuns.REQUESTER,
        Request.of(run.title().isBlank() ? "Run " + run.id() : run.title()),
        Origin.NONE,
        Optional.empty(),
        now,
        false,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        0);
  }

  /// Stores the binding, before the effect of the plan. It posts nothing: the console showed the
  /// run before.
  ///
  /// @return false if another node has taken the delivery over
  boolean bind(DeliveryAttempt attempt, Plan plan) {
    return switch (plan) {
      case Plan.FollowUp(var binding, _) -> bind(attempt, binding);
      case Plan.CancelRun(var binding) -> bind(attempt, binding);
      case Plan.OpenThread _,
          Plan.MoveTo _,
          Plan.StartRun _,
          Plan.LinkRun _,
          Plan.Answer _,
          Plan.Tell _,
          Plan.Ignore _ ->
          true;
    };
  }

  private boolean bind(DeliveryAttempt attempt, Binding binding) {
    return binding.version() > 0
        || binding.place().isPresent()
        || results.commitIfOwned(attempt, work -> save(work, binding));
  }

  /// Unless somebody has linked it to a thread meanwhile.
  private static void save(Work work, Binding binding) {
    if (work.bindings().of(binding.run().id()).isEmpty()) {
      AttemptResults.save(work, binding);
    }
  }
}
