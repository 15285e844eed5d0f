package dev.runnel.surface.slack.receive;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.slack.api.app_backend.views.payload.ViewSubmissionPayload;
import com.slack.api.app_backend.views.payload.ViewSubmissionPayload.ResponseUrl;
import com.slack.api.model.block.InputBlock;
import com.slack.api.model.block.element.ConversationsSelectElement;
import com.slack.api.model.block.element.PlainTextInputElement;
import com.slack.api.model.block.element.StaticSelectElement;
import com.slack.api.model.view.View;
import com.slack.api.model.view.ViewState;
import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.scope.Defaults;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackFormNote;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackQuote;
import dev.runnel.surface.slack.model.SlackReplyTo;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// Reads modal submissions. Pure. A resent submission is the same delivery; invalid input is
/// reported in the modal.
///
/// @param replyTo the response URL, if it is Slack's
record SlackSubmissions(Function<String, Optional<String>> replyTo, SlackPermalinks links) {
  private static final String LOST = "Slack did not send all of the form. Please try again.";

  WebhookResult submitted(ViewSubmissionPayload submitted, Instant arrivedAt) {
    var view = submitted.getView();
    var form =
        SlackInteraction.of(
                submitted.getTeam().getId(),
                submitted.getUser().getId(),
                submitted.getUser().getUsername(),
                submitted.getTriggerId(),
                submitted.getResponseUrls().stream()
                    .findFirst()
                    .map(ResponseUrl::getResponseUrl)
                    .orElse(""),
                arrivedAt)
            .filter(_ -> !view.getId().isEmpty())
            .flatMap(
                from ->
                    SlackFormNote.read(view.getPrivateMetadata())
                        .map(note -> new Form(view, from, note)));
    return switch (view.getCallbackId()) {
      case SlackActionIds.ASK ->
          form.map(this::asked).orElseGet(() -> error(SlackActionIds.PROMPT, LOST));
      case SlackActionIds.DEFAULTS ->
          form.flatMap(it -> it.note().level().map(level -> changed(it, level)))
              .orElseGet(() -> error(firstInput(view), LOST));
      default -> SlackPayloads.IGNORED;
    };
  }

  /// A submission that is complete.
  private record Form(View view, SlackInteraction from, SlackFormNote note) {
    /// The value of an input; empty when it has none.
    String value(String block) {
      var input =
          view.getState().getValues().getOrDefault(block, Map.of()).get(SlackActionIds.VALUE);
      return input == null ? "" : value(input).strip();
    }

    private static String value(ViewState.Value input) {
      return switch (input.getType()) {
        case ConversationsSelectElement.TYPE -> input.getSelectedConversation();
        case StaticSelectElement.TYPE -> input.getSelectedOption().getValue();
        default -> input.getValue();
      };
    }

    /// The value of an input, if the user changed the initial one.
    Optional<String> changed(String block) {
      return Optional.of(value(block)).filter(it -> !it.equals(initial(block).strip()));
    }

    private String initial(String block) {
      return inputs(view)
          .filter(it -> it.getBlockId().equals(block))
          .findFirst()
          .map(
              it ->
                  switch (it.getElement()) {
                    case StaticSelectElement list -> list.getInitialOption().getValue();
                    case PlainTextInputElement line -> line.getInitialValue();
                    default -> "";
                  })
          .orElse("");
    }

    boolean has(String block) {
      return view.getState().getValues().containsKey(block);
    }

    Delivery delivery(
        SlackPlace place,
        Optional<URI> link,
        Intent intent,
        Optional<String> address,
        boolean opensThread) {
      return from.delivery(
          "view:" + view.getId(),
          "view:" + from.team() + "/" + view.getId(),
          place,
          intent,
          new Origin(
              link,
              Optional.of(new SlackReplyTo(Optional.empty(), address).value()),
              Optional.empty(),
              opensThread,
              note.home() ? Optional.of(from.home().conversation()) : Optional.empty()));
    }
  }

  private static Stream<InputBlock> inputs(View view) {
    return view.getBlocks().stream()
        .filter(InputBlock.class::isInstance)
        .map(InputBlock.class::cast);
  }

  private WebhookResult asked(Form form) {
    var text = form.value(SlackActionIds.PROMPT);
    if (text.isEmpty()) {
      return error(SlackActionIds.PROMPT, "Describe what the agent should do.");
    }
    var thread = form.note().thread();
    if (form.note().answers().isPresent()) {
      return SlackPayloads.accepted(
          form.delivery(
              new SlackPlace(form.from().team(), form.note().channel(), thread),
              Optional.empty(),
              SlackEntryPoints.answer(form.note().answers().get(), text),
              form.note().address().flatMap(replyTo),
              false));
    }
    var channel = thread.isEmpty() ? form.value(SlackActionIds.CHANNEL) : form.note().channel();
    if (!channel.matches("[A-Za-z0-9._-]{1,100}")) {
      return error(SlackActionIds.CHANNEL, "Choose the channel for the run's thread.");
    }
    var request = request(form, text);
    if (request instanceof Intent.Unclear(String why, _)) {
      return error(SlackActionIds.PROMPT, why);
    }
    return SlackPayloads.accepted(
        thread.isEmpty()
            ? starts(form, channel, request)
            : says(form, new SlackPlace(form.from().team(), channel, thread), request));
  }

  /// Starts a run, as a slash command does.
  private static Delivery starts(Form form, String channel, Intent request) {
    return form.delivery(
        SlackPlace.outsideThreads(form.from().team(), channel, form.view().getId()),
        Optional.empty(),
        request,
        form.from().address(),
        true);
  }

  /// Continues in the thread like a message there. The request is first posted there, because
  /// nobody has seen it.
  private Delivery says(Form form, SlackPlace thread, Intent request) {
    var message = form.note().message();
    return form.delivery(
        thread,
        links.of(thread, message.isEmpty() ? thread.thread() : message),
        request,
        form.note().address().flatMap(replyTo),
        true);
  }

  private static Intent request(Form form, String text) {
    Function<Request, Intent> intent =
        form.note().thread().isEmpty() ? Intent.Start::new : Intent.Say::new;
    return MessageParser.task(
        text,
        typed ->
            intent.apply(
                new Request(
                    SlackQuote.join(typed.text(), form.note().about()),
                    options(form, typed.options()))));
  }

  /// Inputs left unchanged are not options: closer defaults may apply where the run starts. Options
  /// typed in the request take precedence.
  private static RunOptions options(Form form, RunOptions typed) {
    return new RunOptions(
        typed.profile().or(() -> chosen(form, "profile")),
        typed.environment().or(() -> chosen(form, "env")),
        typed.model().or(() -> chosen(form, "model")),
        typed.skill().or(() -> chosen(form, "skill")),
        typed.name(),
        typed.title(),
        typed.factory());
  }

  private static Optional<String> chosen(Form form, String key) {
    return form.changed(key).filter(it -> !it.isEmpty());
  }

  private WebhookResult changed(Form form, Level level) {
    List<Question.Configure> changes = new ArrayList<>();
    for (var key : Defaults.KEYS) {
      if (form.has(key)) {
        form.changed(key)
            .map(it -> Optional.of(it).filter(value -> !value.isEmpty()))
            .ifPresent(it -> changes.add(new Question.Configure(key, it, level)));
      }
    }
    if (changes.isEmpty()) {
      return SlackPayloads.IGNORED;
    }
    var from = form.from();
    var channel = form.note().channel().isEmpty() ? from.user() : form.note().channel();
    return SlackPayloads.accepted(
        form.delivery(
            SlackPlace.form(from.team(), channel, form.view().getId()),
            Optional.empty(),
            new Intent.Ask(new Question.ConfigureAll(changes)),
            form.note().address().flatMap(replyTo),
            false));
  }

  private static String firstInput(View view) {
    return inputs(view)
        .map(InputBlock::getBlockId)
        .filter(it -> !it.isEmpty())
        .findFirst()
        .orElse(Defaults.KEYS.getFirst());
  }

  /// Keeps the modal open and shows the message beside the input.
  private static WebhookResult error(String block, String text) {
    var answer = JsonNodeFactory.instance.objectNode().put("response_action", "errors");
    answer.putObject("errors").put(block, text);
    return new WebhookResult.Answered(Reply.json(200, answer.toString()));
  }
}
