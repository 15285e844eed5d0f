package dev.runnel.surface.slack.model;

import dev.runnel.core.model.Question.Configure.Level;
import java.util.Locale;

/// The ids of buttons, forms and inputs: what is drawn with one comes back with it.
public final class SlackActionIds {
  public static final String CANCEL_RUN = "cancel_run";
  public static final String RETRY_RUN = "retry_run";
  public static final String START_RUN = "start_run";
  public static final String NEW_RUN = "new_run";

  /// Before the action of a button on the Home tab.
  public static final String ON_HOME = "home_";

  /// The form to ask the agent with, and its inputs.
  public static final String ASK = "ask";

  public static final String PROMPT = "prompt";
  public static final String CHANNEL = "channel";

  /// The form to change defaults with.
  public static final String DEFAULTS = "defaults";

  /// The action of each input; its block says which input it is.
  public static final String VALUE = "value";

  private SlackActionIds() {}

  /// The button that opens the form for the defaults of a level.
  public static String edit(Level level) {
    return "edit_" + level.name().toLowerCase(Locale.ROOT);
  }
}
