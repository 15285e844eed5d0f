package dev.runnel.surface.tracker;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.PullRequestState;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// A change of an issue, on trackers that send the values before and after it. Pure.
///
/// @param event is made only if the change concerns Runnel
/// @param thing the kind of item: `issue`
/// @param isOpen whether the issue is open; a closed one starts nothing
/// @param meaning makes the semantic key from what happened: `unlabel`
public record IssueChange(
    IssueRules rules,
    Supplier<IssueEvent> event,
    String thing,
    Optional<String> title,
    boolean isOpen,
    UnaryOperator<String> meaning) {
  /// The labels changed, or there are some from the start.
  public Optional<Delivery> labels(Collection<String> before, Collection<String> after) {
    return rules
        .relabelled(before, after, title, thing, isOpen)
        .map(intent -> changed(intent instanceof Intent.Start ? "label" : "unlabel", intent));
  }

  /// @param was whether the issue was assigned to the bot's account
  public Optional<Delivery> assignment(boolean was, boolean is) {
    if (was && !is) {
      return ended(IssueCancelTrigger.UNASSIGN);
    }
    return is && !was && isOpen
        ? Optional.of(changed("assign", rules.assigned(title, thing)))
        : Optional.empty();
  }

  /// Somebody moved the issue into another status.
  ///
  /// @param isOurs whether it was the bot's account: what a run does to its issue starts no other
  ///   run
  public Optional<Delivery> moved(Optional<String> status, boolean isOurs) {
    return isOpen && !isOurs
        ? rules.moved(status, title, thing).map(intent -> changed("status", intent))
        : Optional.empty();
  }

  /// A pull request is in another state, see [IssueEvent#became].
  ///
  /// @param what for the semantic key
  public Optional<Delivery> became(
      String what, PullRequestState state, Optional<Instant> at, Optional<Delivery> also) {
    return event.get().became(meaning.apply(what), state, at, also);
  }

  /// @return empty when the settings do not stop the run for it
  public Optional<Delivery> ended(IssueCancelTrigger trigger) {
    return ended(trigger, trigger.word());
  }

  public Optional<Delivery> ended(IssueCancelTrigger trigger, String what) {
    return rules.ended(trigger, thing).map(intent -> changed(what, intent));
  }

  /// @param what for the semantic key
  public Delivery changed(String what, Intent intent) {
    return event.get().changed(meaning.apply(what), intent);
  }
}
