package dev.runnel.surface.slack.render;

import static dev.runnel.surface.slack.render.SlackBlocks.context;
import static dev.runnel.surface.slack.render.SlackBlocks.plain;

import com.slack.api.model.block.LayoutBlock;
import com.slack.api.model.block.element.ConversationsFilter;
import com.slack.api.model.block.element.ConversationsSelectElement;
import com.slack.api.model.block.element.PlainTextInputElement;
import com.slack.api.model.view.View;
import com.slack.api.model.view.ViewClose;
import com.slack.api.model.view.ViewSubmit;
import com.slack.api.model.view.ViewTitle;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackFormNote;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackReplyTo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Renders the modals: to ask the agent, and to change defaults. Pure.
public final class SlackForms {
  private static final int MAX_QUOTE = 600;

  private SlackForms() {}

  /// @param asked the conversation it was requested in
  public static View ask(Screen.Ask form, Conversation asked, Origin origin) {
    var running = form.run().isPresent();
    List<LayoutBlock> blocks = new ArrayList<>();
    if (!form.about().isBlank()) {
      blocks.add(context("About this message:\n" + quote(form.about())));
    }
    blocks.add(
        SlackInputs.input(
            SlackActionIds.PROMPT,
            form.answers().isPresent()
                ? "Your answer"
                : running ? "What should the agent know?" : "What should the agent do?",
            false,
            PlainTextInputElement.builder()
                .actionId(SlackActionIds.VALUE)
                .multiline(true)
                .maxLength(SlackInputs.MAX_TEXT)
                .focusOnLoad(true)
                .placeholder(
                    plain(
                        form.answers().isPresent()
                            ? "None of them: use the queue"
                            : running ? "Also add a test" : "Find out why the checkout test fails",
                        75))
                .build()));
    if (running && form.answers().isEmpty()) {
      blocks.add(context("This thread has a run. Your message goes to it."));
    }
    if (form.thread().isEmpty()) {
      blocks.add(channel());
    }
    form.fields().forEach(it -> blocks.add(SlackInputs.field(it, false)));
    if (form.thread().isEmpty() && !form.fields().isEmpty()) {
      blocks.add(context("Fields you don't change use the channel's defaults."));
    }
    return view(
        SlackActionIds.ASK,
        form.answers().isPresent() ? "Answer the agent" : "Ask the agent",
        running ? "Send" : "Start",
        blocks,
        note(
            form.thread().orElse(asked),
            form.thread().isPresent(),
            origin,
            form.about(),
            Optional.empty(),
            form.answers()));
  }

  private static LayoutBlock channel() {
    var block =
        SlackInputs.input(
            SlackActionIds.CHANNEL,
            "Channel",
            false,
            ConversationsSelectElement.builder()
                .actionId(SlackActionIds.VALUE)
                .defaultToCurrentConversation(true)
                // Provides a response URL for answers that only the user sees.
                .responseUrlEnabled(true)
                .filter(
                    ConversationsFilter.builder()
                        .include(List.of("public", "private"))
                        .excludeBotUsers(true)
                        .build())
                .build());
    block.setHint(plain("The run gets a thread of its own there.", 75));
    return block;
  }

  private static String quote(String text) {
    return Mrkdwn.cut(Mrkdwn.escape(text.replace("```", "")), MAX_QUOTE)
        .lines()
        .map(line -> "> " + line)
        .collect(Collectors.joining("\n"));
  }

  /// @param asked the conversation it was requested in
  public static View preferences(Screen.Preferences form, Conversation asked, Origin origin) {
    List<LayoutBlock> blocks = new ArrayList<>();
    blocks.add(context(about(form.level())));
    form.fields().forEach(it -> blocks.add(SlackInputs.field(it, it.key().equals("prompt"))));
    return view(
        SlackActionIds.DEFAULTS,
        title(form.level()),
        "Save",
        blocks,
        note(asked, false, origin, "", Optional.of(form.level()), Optional.empty()));
  }

  private static String title(Level level) {
    return switch (level) {
      case ME -> "Your defaults";
      case HERE -> "Defaults here";
      case WORKSPACE -> "Workspace defaults";
    };
  }

  private static String about(Level level) {
    return switch (level) {
      case ME -> "Applies to every run you start. Leave a field empty to clear it.";
      case HERE -> "For all runs that are started here. Personal defaults take precedence.";
      case WORKSPACE ->
          "For all runs in this workspace. Defaults of a channel or a person take precedence.";
    };
  }

  private static SlackFormNote note(
      Conversation where,
      boolean inThread,
      Origin origin,
      String about,
      Optional<Level> level,
      Optional<AskedQuestion> answers) {
    var place = SlackPlace.of(where);
    return new SlackFormNote(
        place.channel(),
        inThread ? place.thread() : "",
        origin.message().map(SlackPlace.Message::of).map(SlackPlace.Message::ts).orElse(""),
        about,
        SlackReplyTo.of(origin.replyTo()).address(),
        origin.home().isPresent(),
        level,
        answers);
  }

  private static View view(
      String callback, String title, String submit, List<LayoutBlock> blocks, SlackFormNote note) {
    return View.builder()
        .type("modal")
        .callbackId(callback)
        .title(ViewTitle.builder().type("plain_text").text(title).build())
        .submit(ViewSubmit.builder().type("plain_text").text(submit).build())
        .close(ViewClose.builder().type("plain_text").text("Cancel").build())
        .privateMetadata(note.json())
        .blocks(blocks)
        .build();
  }
}
