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
/// @param event called only if the change concerns Runnel
/// @param itemType the kind of item: `issue`
/// @param isOpen whether the issue is open; a closed one starts nothing
/// @param meaning makes the semantic key from what happened: `unlabel`
public record IssueChange(
    IssueRules rules,
    Supplier<IssueEvent> event,
    String itemType,
    Optional<String> title,
    boolean isOpen,
    UnaryOperator<String> meaning) {
  /// Labels were added or removed; a new issue may already have some.
  public Optional<Delivery> labels(Collection<String> before, Collection<String> after) {
    return rules
        .relabelled(before, after, title, itemType, isOpen)
        .map(intent -> changed(intent instanceof Intent.Start ? "label" : "unlabel", intent));
  }

  /// @param was whether the issue was assigned to the bot's account before the change
  /// @param is whether it is assigned to the bot's account now
  public Optional<Delivery> assignment(boolean was, boolean is) {
    if (was && !is) {
      return ended(IssueCancelTrigger.UNASSIGN);
    }
    return is && !was && isOpen
        ? Optional.of(changed("assign", rules.assigned(title, itemType)))
        : Optional.empty();
  }

  /// Somebody moved the issue into another status.
  ///
  /// @param isOurs whether the bot's account did it: that starts no further run
  public Optional<Delivery> moved(Optional<String> status, boolean isOurs) {
    return isOpen && !isOurs
        ? rules.moved(status, title, itemType).map(intent -> changed("status", intent))
        : Optional.empty();
  }

  /// The state of a pull request changed, see [IssueEvent#pullRequestChanged].
  ///
  /// @param what for the semantic key
  public Optional<Delivery> pullRequestChanged(
      String what, PullRequestState state, Optional<Instant> at, Optional<Delivery> also) {
    return event.get().pullRequestChanged(meaning.apply(what), state, at, also);
  }

  /// @return empty when the settings do not stop the run for it
  public Optional<Delivery> ended(IssueCancelTrigger trigger) {
    return ended(trigger, trigger.word());
  }

  public Optional<Delivery> ended(IssueCancelTrigger trigger, String what) {
    return rules.ended(trigger, itemType).map(intent -> changed(what, intent));
  }

  /// @param what for the semantic key
  public Delivery changed(String what, Intent intent) {
    return event.get().changed(meaning.apply(what), intent);
  }
}
