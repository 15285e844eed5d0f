package dev.runnel.surface.slack.post;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackReplyTo;
import dev.runnel.surface.slack.render.SlackForms;
import dev.runnel.surface.slack.render.SlackHome;
import java.util.Set;

/// Opens modals and publishes the Home tab.
public record SlackScreens(SlackHome home) {
  static final String TOO_LATE =
      "I was too slow, so Slack did not open the form. Please try again.";

  private static final Set<String> EXPIRED_TRIGGER_ERRORS =
      Set.of("expired_trigger_id", "trigger_expired", "invalid_trigger_id");

  /// An earlier attempt opened it, and the response was lost.
  private static final Set<String> USED_TRIGGER_ERRORS =
      Set.of("exchanged_trigger_id", "trigger_exchanged");

  /// The result of showing a view.
  sealed interface ShowResult {
    record Shown(SlackResponse<String> response) implements ShowResult {}

    /// The trigger id has expired; the user has to ask again.
    record TooLate() implements ShowResult {}
  }

  ShowResult show(SlackApi api, Notice notice, Actor to, Screen screen) {
    var conversation = notice.conversation();
    var origin = notice.origin();
    var view =
        switch (screen) {
          case Screen.Home runs -> home.render(runs);
          case Screen.Ask form -> SlackForms.ask(form, conversation, origin);
          case Screen.Preferences form -> SlackForms.preferences(form, conversation, origin);
        };
    if (screen instanceof Screen.Home) {
      return new ShowResult.Shown(api.publishView(to.id(), view));
    }
    var trigger = SlackReplyTo.of(origin.replyTo()).trigger();
    if (trigger.isEmpty()) {
      return new ShowResult.TooLate();
    }
    return switch (api.openView(trigger.get(), view)) {
      case SlackResponse.No<String>(String error) when EXPIRED_TRIGGER_ERRORS.contains(error) ->
          new ShowResult.TooLate();
      case SlackResponse.No<String>(String error) when USED_TRIGGER_ERRORS.contains(error) ->
          new ShowResult.Shown(new SlackResponse.Ok<>(trigger.get()));
      case SlackResponse<String> slackResponse -> new ShowResult.Shown(slackResponse);
    };
  }
}
