package dev.runnel.surface.slack.receive;

import static dev.runnel.surface.slack.model.SlackJson.id;
import static dev.runnel.surface.slack.model.SlackJson.text;
import static dev.runnel.surface.slack.receive.SlackPayloads.actor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Origin;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Reply;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.RunOptions;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.scope.Defaults;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackFormNote;
import dev.runnel.surface.slack.model.SlackJson;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackQuote;
import dev.runnel.surface.slack.model.SlackReplyTo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// Reads modal submissions. Pure. A submission is a delivery like any other: the same one resent is
/// the same delivery, and invalid input is reported in the modal.
final class SlackSubmissions {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String LOST = "Slack did not send all of the form. Please try again.";

  private final Supplier<Optional<String>> ownTeam;
  private final Function<String, Optional<String>> replyTo;
  private final SlackPermalinks links;

  SlackSubmissions(
      Supplier<Optional<String>> ownTeam,
      Function<String, Optional<String>> replyTo,
      SlackPermalinks links) {
    this.ownTeam = ownTeam;
    this.replyTo = replyTo;
    this.links = links;
  }

  /// @return empty for submissions of other modals
  Optional<WebhookResult> read(JsonNode interaction, Instant arrivedAt) {
    if (!text(interaction, "type").equals("view_submission")) {
      return Optional.empty();
    }
    return switch (text(interaction.path("view"), "callback_id")) {
      case SlackActionIds.ASK -> Optional.of(asked(interaction, arrivedAt));
      case SlackActionIds.DEFAULTS -> Optional.of(changed(interaction, arrivedAt));
      default -> Optional.empty();
    };
  }

  /// A submission and its sender.
  private record Filled(
      JsonNode view, String team, String user, String name, String id, SlackFormNote note) {
    /// The value of an input; empty when it has none.
    String value(String block) {
      return valueOf(view.path("state").path("values").path(block).path(SlackActionIds.VALUE))
          .strip();
    }

    /// Whether the user changed the initial value.
    boolean isChanged(String block) {
      return !value(block).equals(initial(block).strip());
    }

    boolean has(String block) {
      return view.path("state").path("values").has(block);
    }

    private String initial(String block) {
      for (var each : view.path("blocks")) {
        if (text(each, "block_id").equals(block)) {
          var element = each.path("element");
          return element.has("initial_option")
              ? text(element.path("initial_option"), "value")
              : text(element, "initial_value");
        }
      }
      return "";
    }

    private static String valueOf(JsonNode input) {
      return switch (text(input, "type")) {
        case "conversations_select" -> text(input, "selected_conversation");
        case "static_select" -> text(input.path("selected_option"), "value");
        default -> text(input, "value");
      };
    }

    Optional<Conversation> home() {
      return note.home()
          ? Optional.of(SlackPlace.home(team, user).conversation())
          : Optional.empty();
    }

    Delivery delivery(SlackPlace place, Intent intent, Origin origin, Instant arrivedAt) {
      return new Delivery(
          DeliveryId.of(SlackPlace.SURFACE, "view:" + id),
          "view:" + team + "/" + id,
          place.conversation(),
          actor(user, name),
          intent,
          true,
          origin,
          arrivedAt);
    }
  }

  private Optional<Filled> filled(JsonNode interaction) {
    var view = interaction.path("view");
    var user = interaction.path("user");
    var team = id(interaction.path("team"), "id").or(() -> id(user, "team_id")).or(ownTeam);
    var userId = id(user, "id");
    var viewId = id(view, "id");
    var note = SlackFormNote.read(text(view, "private_metadata"));
    return team.isPresent() && userId.isPresent() && viewId.isPresent() && note.isPresent()
        ? Optional.of(
            new Filled(
                view, team.get(), userId.get(), text(user, "username"), viewId.get(), note.get()))
        : Optional.empty();
  }

  private WebhookResult asked(JsonNode interaction, Instant arrivedAt) {
    var filled = filled(interaction);
    if (filled.isEmpty()) {
      return error(SlackActionIds.PROMPT, LOST);
    }
    var form = filled.get();
    var words = form.value(SlackActionIds.PROMPT);
    if (words.isEmpty()) {
      return error(SlackActionIds.PROMPT, "Say in a few words what the agent should do.");
    }
    var thread = form.note().thread();
    var channel = thread.isEmpty() ? form.value(SlackActionIds.CHANNEL) : form.note().channel();
    if (!channel.matches("[A-Za-z0-9._-]{1,100}")) {
      return error(
          SlackActionIds.CHANNEL, "Choose the channel that the run should have its thread in.");
    }
    var request = request(form, words);
    if (request instanceof Intent.Unclear(String why, _)) {
      return error(SlackActionIds.PROMPT, why);
    }
    return new WebhookResult.Accepted(
        thread.isEmpty()
            ? starts(interaction, form, channel, request, arrivedAt)
            : says(form, new SlackPlace(form.team(), channel, thread), request, arrivedAt),
        SlackPayloads.TAKEN);
  }

  /// Starts a run, as a slash command does.
  private Delivery starts(
      JsonNode interaction, Filled form, String channel, Intent request, Instant arrivedAt) {
    var answers =
        replyTo.apply(text(SlackJson.first(interaction.path("response_urls")), "response_url"));
    return form.delivery(
        SlackPlace.outsideThreads(form.team(), channel, form.id()),
        request,
        new Origin(
            Optional.empty(),
            Optional.of(new SlackReplyTo(Optional.empty(), answers).value()),
            Optional.empty(),
            true,
            form.home()),
        arrivedAt);
  }

  /// Continues in the thread like a message there. The request is first posted there, because
  /// nobody has seen it.
  private Delivery says(Filled form, SlackPlace thread, Intent request, Instant arrivedAt) {
    var message = form.note().message();
    return form.delivery(
        thread,
        request,
        new Origin(
            links.of(thread, message.isEmpty() ? thread.thread() : message),
            Optional.of(new SlackReplyTo(Optional.empty(), address(form)).value()),
            Optional.empty(),
            true,
            form.home()),
        arrivedAt);
  }

  private Optional<String> address(Filled form) {
    return form.note().address().flatMap(replyTo);
  }

  private static Intent request(Filled form, String words) {
    Function<Request, Intent> intent =
        form.note().thread().isEmpty() ? Intent.Start::new : Intent.Say::new;
    return MessageParser.task(
        words,
        typed ->
            intent.apply(
                new Request(
                    SlackQuote.join(typed.text(), form.note().about()),
                    options(form, typed.options()))));
  }

  /// Inputs left unchanged are not options: closer defaults may apply where the run starts. Options
  /// typed in the request take precedence.
  private static RunOptions options(Filled form, RunOptions typed) {
    return new RunOptions(
        typed.profile().or(() -> said(form, "profile")),
        typed.environment().or(() -> said(form, "env")),
        typed.model().or(() -> said(form, "model")),
        typed.skill().or(() -> said(form, "skill")),
        typed.name(),
        typed.title(),
        typed.factory());
  }

  private static Optional<String> said(Filled form, String key) {
    return Optional.of(form.value(key)).filter(it -> !it.isEmpty() && form.isChanged(key));
  }

  private WebhookResult changed(JsonNode interaction, Instant arrivedAt) {
    var filled = filled(interaction);
    var level = filled.flatMap(it -> it.note().level());
    if (filled.isEmpty() || level.isEmpty()) {
      return error(firstInput(interaction), LOST);
    }
    var form = filled.get();
    List<Question.Configure> changes = new ArrayList<>();
    for (var key : Defaults.KEYS) {
      if (form.has(key) && form.isChanged(key)) {
        var value = Optional.of(form.value(key)).filter(it -> !it.isEmpty());
        changes.add(new Question.Configure(key, value, level.get()));
      }
    }
    if (changes.isEmpty()) {
      return SlackPayloads.NOISE;
    }
    var channel = form.note().channel().isEmpty() ? form.user() : form.note().channel();
    return new WebhookResult.Accepted(
        form.delivery(
            SlackPlace.form(form.team(), channel, form.id()),
            new Intent.Ask(new Question.ConfigureAll(changes)),
            new Origin(
                Optional.empty(),
                Optional.of(new SlackReplyTo(Optional.empty(), address(form)).value()),
                Optional.empty(),
                false,
                form.home()),
            arrivedAt),
        SlackPayloads.TAKEN);
  }

  private static String firstInput(JsonNode interaction) {
    for (var each : interaction.path("view").path("blocks")) {
      if (text(each, "type").equals("input") && !text(each, "block_id").isEmpty()) {
        return text(each, "block_id");
      }
    }
    return Defaults.KEYS.getFirst();
  }

  /// Keeps the modal open and shows the message beside the input.
  private static WebhookResult error(String block, String words) {
    var answer = JSON.createObjectNode().put("response_action", "errors");
    answer.putObject("errors").put(block, words);
    return new WebhookResult.Answered(Reply.json(200, answer.toString()));
  }
}
