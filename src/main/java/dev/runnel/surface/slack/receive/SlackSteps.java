package dev.runnel.surface.slack.receive;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackStep;
import dev.runnel.surface.slack.model.SlackText;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads executions of the workflow step that starts a run. Pure.
final class SlackSteps {
  static final String REQUEST = "request";
  static final String CHANNEL = "channel";
  static final String THREAD = "thread";
  static final String PROFILE = "profile";

  private static final Pattern CHANNEL_ID = Pattern.compile("[CG][A-Z0-9]{1,19}");

  private SlackSteps() {}

  /// @return empty for other steps
  static Optional<Delivery> executed(SlackEvent event, SlackEvent.StepExecuted step) {
    var channel = step.input(CHANNEL).filter(it -> CHANNEL_ID.matcher(it).matches());
    if (!step.callback().equals(SlackStep.CALLBACK)
        || step.execution().isEmpty()
        || channel.isEmpty()) {
      return Optional.empty();
    }
    var execution = step.execution().get();
    var thread = step.input(THREAD).flatMap(SlackSteps::thread);
    var place =
        thread
            .map(it -> new SlackPlace(event.team(), channel.get(), it.thread()))
            .orElseGet(() -> SlackPlace.outsideThreads(event.team(), channel.get(), execution));
    var isElsewhere =
        step.input(THREAD).isPresent()
            && thread.filter(it -> it.channel().equals(channel.get())).isEmpty();
    var actor = SlackStep.requester(channel.get());
    return Optional.of(
        event
            .delivery(
                "step:" + execution,
                place,
                actor.id(),
                isElsewhere
                    ? new Intent.Unclear("`thread` is not a link to a message in the channel.")
                    : intent(step),
                true,
                new Origin(
                        Optional.empty(),
                        Optional.of(SlackStep.replyTo(execution)),
                        Optional.empty(),
                        true)
                    .awaiting())
            .withActor(actor));
  }

  private static Optional<SlackPermalinks.Target> thread(String link) {
    try {
      return SlackPermalinks.target(URI.create(SlackText.plain(link)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Intent intent(SlackEvent.StepExecuted step) {
    var text = SlackText.plain(step.input(REQUEST).orElse(""));
    if (text.isBlank()) {
      return new Intent.Unclear("`request` is empty.");
    }
    return MessageParser.task(
        text,
        request ->
            new Intent.Start(
                step.input(PROFILE)
                    .map(it -> request.options().withProfile(Optional.of(it)))
                    .map(options -> new Request(request.text(), options))
                    .orElse(request)));
  }
}
