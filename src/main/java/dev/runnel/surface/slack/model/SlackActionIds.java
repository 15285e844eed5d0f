package dev.runnel.surface.slack.model;

import dev.runnel.core.model.Question.Configure.Level;
import java.util.Locale;

/// The ids of buttons, modals and inputs: Slack returns in each interaction the id that the element
/// was rendered with.
public final class SlackActionIds {
  public static final String CANCEL_RUN = "cancel_run";
  public static final String RETRY_RUN = "retry_run";
  public static final String START_RUN = "start_run";
  public static final String SEND_REPLIES = "send_replies";
  public static final String NEW_RUN = "new_run";

  /// Prefix of the action ids of buttons whose value is a command; each button of a message needs
  /// another id.
  public static final String COMMAND = "command_";

  /// Prefix of the action ids of buttons that answer a question of a run.
  public static final String ANSWER = "answer_";

  /// The button that opens a form for an answer in other words.
  public static final String ANSWER_OTHER = "answer_other";

  /// Prefix of the action ids of buttons on the Home tab.
  public static final String ON_HOME = "home_";

  /// The modal to ask the agent, and its inputs.
  public static final String ASK = "ask";

  public static final String PROMPT = "prompt";
  public static final String CHANNEL = "channel";

  /// The modal to change defaults.
  public static final String DEFAULTS = "defaults";

  /// The action id of every input; the block id identifies the input.
  public static final String VALUE = "value";

  private SlackActionIds() {}

  /// The button that opens the modal for the defaults of a level.
  public static String edit(Level level) {
    return "edit_" + level.name().toLowerCase(Locale.ROOT);
  }
}
