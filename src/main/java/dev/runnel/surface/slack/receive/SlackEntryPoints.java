package dev.runnel.surface.slack.receive;

import com.slack.api.app_backend.interactive_components.payload.BlockActionPayload;
import com.slack.api.app_backend.interactive_components.payload.GlobalShortcutPayload;
import com.slack.api.app_backend.interactive_components.payload.MessageShortcutPayload;
import com.slack.api.model.Message;
import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackReplyTo;
import dev.runnel.surface.slack.model.SlackText;
import dev.runnel.text.Truncation;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads buttons, shortcuts, and the opening of the Home tab. Pure; unknown ones are ignored.
///
/// A modal is opened after the acknowledgement, like any answer. Each has a conversation of its
/// own, so that it does not wait in a queue: its trigger id expires after three seconds.
record SlackEntryPoints(SlackPermalinks links) {
  /// The callback ids of the shortcuts, as in the manifest.
  static final String ASK_ABOUT_MESSAGE = "ask_about_message";

  static final String ASK_AGENT = "ask_agent";

  private static final int MAX_QUOTE = 2_500;
  private static final Question NEW = new Question.Compose(Optional.empty(), "");
  private static final Map<String, Level> LEVELS =
      Map.of(
          SlackActionIds.edit(Level.ME), Level.ME,
          SlackActionIds.edit(Level.HERE), Level.HERE,
          SlackActionIds.edit(Level.WORKSPACE), Level.WORKSPACE);

  static Optional<Delivery> home(SlackEvent event, SlackEvent.HomeOpened opened) {
    return opened
        .user()
        .map(
            user ->
                event.delivery(
                    "home:%s/%s/%s".formatted(event.team(), user, opened.at().orElse("")),
                    SlackPlace.home(event.team(), user),
                    user,
                    new Intent.Ask(new Question.Home()),
                    true,
                    Origin.NONE));
  }

  static Optional<Delivery> shortcut(GlobalShortcutPayload shortcut, Instant arrivedAt) {
    return SlackInteraction.of(
            shortcut.getTeam().getId(),
            shortcut.getUser().getId(),
            shortcut.getUser().getUsername(),
            shortcut.getTriggerId(),
            "",
            arrivedAt)
        .filter(it -> shortcut.getCallbackId().equals(ASK_AGENT) && canOpenForm(it))
        .map(it -> openForm(it, it.user(), NEW, Origin.NONE));
  }

  Optional<Delivery> shortcut(MessageShortcutPayload shortcut, Instant arrivedAt) {
    return SlackInteraction.of(
            shortcut.getTeam().getId(),
            shortcut.getUser().getId(),
            shortcut.getUser().getName(),
            shortcut.getTriggerId(),
            shortcut.getResponseUrl(),
            arrivedAt)
        .filter(it -> shortcut.getCallbackId().equals(ASK_ABOUT_MESSAGE) && canOpenForm(it))
        .flatMap(it -> aboutMessage(shortcut, it));
  }

  /// Without a trigger id no modal can be opened, and nothing identifies the interaction.
  private static boolean canOpenForm(SlackInteraction from) {
    return !from.trigger().isEmpty();
  }

  private Optional<Delivery> aboutMessage(MessageShortcutPayload shortcut, SlackInteraction from) {
    var message = shortcut.getMessage();
    var channel = shortcut.getChannel().getId();
    var ts = message.getTs();
    if (channel.isEmpty() || ts.isEmpty()) {
      return Optional.empty();
    }
    var place = new SlackPlace(from.team(), channel, threadOf(message));
    var about = SlackText.plain(message.getText()).strip();
    return Optional.of(
        openForm(
            from,
            channel,
            new Question.Compose(
                Optional.of(place.conversation()), Truncation.head(about, MAX_QUOTE)),
            new Origin(
                links.of(place, ts),
                Optional.empty(),
                Optional.of(place.message(ts).ref()),
                false)));
  }

  private static String threadOf(Message message) {
    return message.getThreadTs().isEmpty() ? message.getTs() : message.getThreadTs();
  }

  static Optional<Delivery> pressed(BlockActionPayload pressed, Instant arrivedAt) {
    return SlackInteraction.of(
            pressed.getTeam().getId(),
            pressed.getUser().getId(),
            pressed.getUser().getUsername(),
            pressed.getTriggerId(),
            pressed.getResponseUrl(),
            arrivedAt)
        .flatMap(
            from -> {
              var action = pressed.getActions().getFirst().getActionId();
              return action.startsWith(SlackActionIds.ON_HOME)
                  ? pressedAtHome(pressed, action.substring(SlackActionIds.ON_HOME.length()), from)
                  : pressedInMessage(pressed, action, from);
            });
  }

  private static Optional<Delivery> pressedAtHome(
      BlockActionPayload pressed, String action, SlackInteraction from) {
    if (!canOpenForm(from)) {
      return Optional.empty();
    }
    var origin =
        new Origin(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false,
            Optional.of(from.home().conversation()));
    var form =
        action.equals(SlackActionIds.NEW_RUN)
            ? Optional.of(NEW)
            : Optional.ofNullable(LEVELS.get(action)).<Question>map(Question.Edit::new);
    return form.map(it -> openForm(from, from.user(), it, origin))
        .or(
            () ->
                aboutRun(action, value(pressed))
                    .map(
                        it ->
                            from.delivery(
                                from.trigger(),
                                "action:" + from.trigger(),
                                from.home(),
                                it,
                                privateReply(from, origin, Optional.empty()))));
  }

  private static String value(BlockActionPayload pressed) {
    return pressed.getActions().getFirst().getValue();
  }

  /// @return empty without a run, which need not be the conversation's current one
  private static Optional<Intent> aboutRun(String action, String value) {
    var run = Optional.of(value).filter(it -> !it.isBlank()).map(RunId::new);
    return run.flatMap(
        _ ->
            switch (action) {
              case SlackActionIds.CANCEL_RUN ->
                  Optional.of(new Intent.Cancel(run, Optional.empty()));
              case SlackActionIds.RETRY_RUN -> Optional.of(new Intent.Retry(run));
              default -> Optional.empty();
            });
  }

  private static Optional<Delivery> pressedInMessage(
      BlockActionPayload pressed, String action, SlackInteraction from) {
    var channel = pressed.getChannel().getId();
    var level = Optional.ofNullable(LEVELS.get(action));
    if (level.isPresent()) {
      return level
          .filter(_ -> canOpenForm(from) && !channel.isEmpty())
          .map(it -> openForm(from, channel, new Question.Edit(it), Origin.NONE));
    }
    var thread = threadOf(pressed.getMessage());
    if (action.equals(SlackActionIds.ANSWER_OTHER)) {
      return AskedQuestion.parse(value(pressed))
          .filter(_ -> canOpenForm(from) && !channel.isEmpty() && !thread.isEmpty())
          .map(
              it ->
                  openForm(
                      from,
                      channel,
                      new Question.Compose(
                          Optional.of(new SlackPlace(from.team(), channel, thread).conversation()),
                          "",
                          Optional.of(it)),
                      Origin.NONE));
    }
    // Identifies one press; empty when nothing distinguishes it from another.
    var press =
        Stream.of(from.trigger(), pressed.getActions().getFirst().getActionTs())
            .filter(it -> !it.isEmpty())
            .collect(Collectors.joining(":"));
    if (channel.isEmpty() || thread.isEmpty() || press.isEmpty()) {
      return Optional.empty();
    }
    var value = value(pressed);
    var sends = action.equals(SlackActionIds.SEND_REPLIES);
    var starts = sends || action.equals(SlackActionIds.START_RUN);
    // Outside a thread it acts like a command: its run gets a thread of its own.
    var opensThread = starts && !sends && pressed.getMessage().getThreadTs().isEmpty();
    return intent(action, value, opensThread)
        .map(
            it ->
                from.delivery(
                    press,
                    // A second press by the same person has no effect.
                    sends
                        ? "send:%s/%s/%s"
                            .formatted(channel, pressed.getMessage().getTs(), from.user())
                        : "action:" + press,
                    opensThread
                        ? SlackPlace.outsideThreads(from.team(), channel, press)
                        : new SlackPlace(from.team(), channel, thread),
                    it,
                    new Origin(Optional.empty(), from.address(), Optional.empty(), opensThread)));
  }

  private static Optional<Intent> intent(String action, String value, boolean opensThread) {
    if (action.startsWith(SlackActionIds.ANSWER)) {
      var parts = value.split("\n", 2);
      return parts.length < 2
          ? Optional.empty()
          : AskedQuestion.parse(parts[0]).map(it -> answer(it, parts[1]));
    }
    if (action.startsWith(SlackActionIds.COMMAND)) {
      return MessageParser.words(value);
    }
    var isRequest =
        action.equals(SlackActionIds.START_RUN) || action.equals(SlackActionIds.SEND_REPLIES);
    return isRequest && !value.isBlank()
        ? Optional.of(MessageParser.task(value, opensThread ? Intent.Start::new : Intent.Say::new))
        : aboutRun(action, value);
  }

  static Intent answer(AskedQuestion asked, String text) {
    return new Intent.SayTo(asked.run(), Request.of(text), Optional.of(asked));
  }

  /// @param channel or a user id, for direct messages
  private static Delivery openForm(
      SlackInteraction from, String channel, Question form, Origin origin) {
    return from.delivery(
        from.trigger(),
        "form:" + from.trigger(),
        SlackPlace.form(from.team(), channel, from.trigger()),
        new Intent.Ask(form),
        privateReply(from, origin, Optional.of(from.trigger())));
  }

  private static Origin privateReply(
      SlackInteraction from, Origin origin, Optional<String> openForm) {
    return new Origin(
        origin.link(),
        // The Home tab has no response URL; answers go to the user directly.
        Optional.of(
            new SlackReplyTo(
                    openForm, origin.home().isPresent() ? Optional.empty() : from.address())
                .value()),
        origin.message(),
        false,
        origin.home());
  }
}
