package dev.runnel.surface.tracker;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.surface.markdown.Markdown;
import java.util.Collection;
import java.util.Optional;
import java.util.regex.Pattern;

/// Maps issue events to intents, the same for every tracker. Pure.
public final class IssueRules {
  private static final int MAX_TITLE = 80;
  private static final Pattern ADDRESS = Pattern.compile("^@[^\\s,:;.!?]+[,:;.!?]*\\s*");

  private final TrackerSettings settings;
  private final TriggerLabel trigger;
  private final Mention mention;

  public IssueRules(TrackerSettings settings) {
    this.settings = settings;
    this.trigger = settings.trigger();
    this.mention = new Mention(settings.mention());
  }

  /// Reads a change that may add and remove labels together.
  ///
  /// @param thing the kind of item: `issue`
  /// @param open whether the issue is open; a closed one starts nothing
  public Optional<Intent> relabelled(
      Collection<String> before,
      Collection<String> after,
      Optional<String> title,
      String thing,
      boolean open) {
    var added =
        after.stream()
            .filter(trigger::isTrigger)
            .filter(label -> before.stream().noneMatch(label::equalsIgnoreCase))
            .findFirst();
    if (added.isPresent()) {
      return open ? labelled(added.get(), title, thing) : Optional.empty();
    }
    return trigger.isAmong(before) && !trigger.isAmong(after)
        ? ended(IssueCancelTrigger.UNLABEL, thing)
        : Optional.empty();
  }

  /// @return empty when the label is not a trigger label
  public Optional<Intent> labelled(String label, Optional<String> title, String thing) {
    return trigger.isTrigger(label)
        ? Optional.of(start(title, thing, trigger.profile(label)))
        : Optional.empty();
  }

  /// @param staying the labels after the removal; may still contain the removed one
  public Optional<Intent> unlabelled(String removed, Collection<String> staying, String thing) {
    return trigger.isTrigger(removed)
            && staying.stream()
                .filter(label -> !label.equalsIgnoreCase(removed))
                .noneMatch(trigger::isTrigger)
        ? ended(IssueCancelTrigger.UNLABEL, thing)
        : Optional.empty();
  }

  /// The issue was assigned to the bot's account.
  public Intent assigned(Optional<String> title, String thing) {
    return start(title, thing, Optional.empty());
  }

  /// The issue was moved into another status.
  ///
  /// @param status its name
  /// @return empty when the settings do not start a run for it
  public Optional<Intent> moved(Optional<String> status, Optional<String> title, String thing) {
    return status
        .filter(name -> settings.startStatus().filter(name::equalsIgnoreCase).isPresent())
        .map(_ -> start(title, thing, Optional.empty()));
  }

  /// @return empty when the settings do not stop the run for it
  public Optional<Intent> ended(IssueCancelTrigger issueCancelTrigger, String thing) {
    return settings.cancelOn().contains(issueCancelTrigger)
        ? Optional.of(
            new Intent.Cancel(
                Optional.empty(), Optional.of(issueCancelTrigger.why(thing, trigger.name()))))
        : Optional.empty();
  }

  /// @return empty for a comment that does not address Runnel, or is Runnel's own
  public Optional<Intent> comment(String comment) {
    return Marker.isIn(comment)
        ? Optional.empty()
        : mention.in(comment).flatMap(MessageParser::words);
  }

  /// Reads text from a place where everything addresses Runnel: a leading mention is removed.
  public Optional<Intent> direct(String text) {
    var seen = Markdown.text(Markdown.seen(text)).strip();
    return MessageParser.words(ADDRESS.matcher(seen).replaceFirst(""));
  }

  public boolean hasTrigger(Collection<String> labels) {
    return trigger.isAmong(labels);
  }

  /// The title is used only as the run's title, not in the prompt, because whoever added the label
  /// may not have written it.
  private static Intent start(Optional<String> title, String thing, Optional<String> profile) {
    return new Intent.Start(
        new Request(
            "Work on this " + thing + ".",
            RunOptions.NONE
                .withProfile(profile)
                .withTitle(
                    title
                        .map(text -> Markdown.line(text, MAX_TITLE))
                        .filter(text -> !text.isEmpty()))));
  }
}
