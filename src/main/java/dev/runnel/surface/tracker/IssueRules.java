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
  private static final String TOO_LONG =
      "The comment has more than %,d characters, so it was not read. Write what is to be done in a shorter one, and put the rest into a file that the agent can read."
          .formatted(Markdown.MAX_SOURCE);
  private static final Pattern ADDRESS = Pattern.compile("^@[^\\s,:;.!?]+[,:;.!?]*\\s*");

  private final TrackerSettings settings;
  private final TriggerLabel trigger;
  private final Mention mention;

  public IssueRules(TrackerSettings settings) {
    this.settings = settings;
    this.trigger = settings.trigger();
    this.mention = new Mention(settings.mention());
  }

  /// The intent of a change that may both add and remove labels.
  ///
  /// @param itemType the kind of item: `issue`
  /// @param open whether the issue is open; a closed one starts nothing
  public Optional<Intent> relabelled(
      Collection<String> before,
      Collection<String> after,
      Optional<String> title,
      String itemType,
      boolean open) {
    var added =
        after.stream()
            .filter(trigger::isTrigger)
            .filter(label -> before.stream().noneMatch(label::equalsIgnoreCase))
            .findFirst();
    if (added.isPresent()) {
      return open ? labelled(added.get(), title, itemType) : Optional.empty();
    }
    return trigger.isAmong(before) && !trigger.isAmong(after)
        ? ended(IssueCancelTrigger.UNLABEL, itemType)
        : Optional.empty();
  }

  /// @return empty when the label is not a trigger label
  public Optional<Intent> labelled(String label, Optional<String> title, String itemType) {
    return trigger.isTrigger(label)
        ? Optional.of(start(title, itemType, trigger.profile(label)))
        : Optional.empty();
  }

  /// @param remaining the labels after the removal; may still contain the removed one
  public Optional<Intent> unlabelled(
      String removed, Collection<String> remaining, String itemType) {
    return trigger.isTrigger(removed)
            && remaining.stream()
                .filter(label -> !label.equalsIgnoreCase(removed))
                .noneMatch(trigger::isTrigger)
        ? ended(IssueCancelTrigger.UNLABEL, itemType)
        : Optional.empty();
  }

  /// The issue was assigned to the bot's account.
  public Intent assigned(Optional<String> title, String itemType) {
    return start(title, itemType, Optional.empty());
  }

  /// The issue was moved into another status.
  ///
  /// @param status its name
  /// @return empty when the settings do not start a run for it
  public Optional<Intent> moved(Optional<String> status, Optional<String> title, String itemType) {
    return status
        .filter(name -> settings.startStatus().filter(name::equalsIgnoreCase).isPresent())
        .map(_ -> start(title, itemType, Optional.empty()));
  }

  /// @return empty when the settings do not stop the run for it
  public Optional<Intent> ended(IssueCancelTrigger issueCancelTrigger, String itemType) {
    return settings.cancelOn().contains(issueCancelTrigger)
        ? Optional.of(
            new Intent.Cancel(
                Optional.empty(), Optional.of(issueCancelTrigger.why(itemType, trigger.name()))))
        : Optional.empty();
  }

  /// @return empty for a comment that does not address Runnel, or is Runnel's own
  public Optional<Intent> comment(String comment) {
    return Marker.isIn(comment)
        ? Optional.empty()
        : mention.in(comment).flatMap(words -> request(comment, words));
  }

  /// The intent of a text in a place where all text addresses Runnel. A leading mention is removed.
  public Optional<Intent> direct(String text) {
    var seen = Markdown.text(Markdown.visibleLines(text)).strip();
    return request(text, ADDRESS.matcher(seen).replaceFirst(""));
  }

  /// @param source what the words were read from
  private static Optional<Intent> request(String source, String words) {
    return source.length() > Markdown.MAX_SOURCE
        ? Optional.of(new Intent.Unclear(TOO_LONG))
        : MessageParser.words(words);
  }

  public boolean hasTrigger(Collection<String> labels) {
    return trigger.isAmong(labels);
  }

  /// The title is used only as the run's title, not in the prompt, because whoever added the label
  /// may not have written it.
  private static Intent start(Optional<String> title, String itemType, Optional<String> profile) {
    return new Intent.Start(
        new Request(
            "Work on this " + itemType + ".",
            RunOptions.NONE
                .withProfile(profile)
                .withTitle(
                    title
                        .map(text -> Markdown.visibleLine(text, MAX_TITLE))
                        .filter(text -> !text.isEmpty()))));
  }
}
