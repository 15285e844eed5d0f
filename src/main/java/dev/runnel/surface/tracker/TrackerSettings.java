package dev.runnel.surface.tracker;

import dev.runnel.surface.Setting;
import dev.runnel.surface.kit.SettingValues;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The settings that all trackers share.
///
/// @param label the label that starts a run; followed by `:NAME`, with the profile NAME
/// @param mention the word after `@` or `/` that addresses Runnel
/// @param cancelOn the issue events that stop a run
/// @param stateLabels whether issues get labels with their run's state
/// @param startStatus the status of an issue in which a run starts; empty for none
public record TrackerSettings(
    String label,
    String mention,
    Set<IssueCancelTrigger> cancelOn,
    boolean stateLabels,
    Optional<String> startStatus) {
  static final String LABEL = "RUNNEL_TRIGGER_LABEL";
  static final String MENTION = "RUNNEL_MENTION";
  static final String CANCEL_ON = "RUNNEL_CANCEL_ON";
  static final String STATE_LABELS = "RUNNEL_STATE_LABELS";
  static final String START_STATUS = "RUNNEL_START_STATUS";

  public static final List<Setting> ALL =
      List.of(
          Setting.plain(LABEL, "agent", "The label that starts a run on an issue."),
          Setting.plain(MENTION, "agent", "The word after `@` or `/` that addresses Runnel."),
          Setting.plain(
                  CANCEL_ON,
                  "all",
                  "What stops a run besides a stop command: `unlabel`, `unassign`, `close`,"
                      + " `delete`, `move`, `done`; or `off`.")
              .formerlyOffAs("nothing"),
          Setting.plain(
                  STATE_LABELS,
                  "off",
                  "Whether issues get labels that show the state of their run: `on` or `off`.")
              .formerlyOffAs("false"),
          Setting.plain(
              START_STATUS,
              "off",
              "On Jira, Linear and Azure DevOps: the name of the status that starts a run when"
                  + " somebody moves an issue into it, such as `Ready for agent`; or `off`."));

  private static final String DEFAULT_WORD = "agent";
  private static final String ON = "on";
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");

  public TrackerSettings {
    cancelOn = Set.copyOf(cancelOn);
    if (label.isBlank() || label.contains(",")) {
      throw new IllegalArgumentException(LABEL + " needs the name of a label, such as agent.");
    }
    if (!WORD.matcher(mention).matches()) {
      throw new IllegalArgumentException(
          MENTION + " needs one word of letters, digits and dashes, such as agent.");
    }
  }

  /// Reads the settings by variable name.
  ///
  /// @throws IllegalArgumentException with the setting's name and what is wrong
  public static TrackerSettings from(Map<String, String> settings) {
    var values = new SettingValues(settings);
    var words = values.list(CANCEL_ON);
    var endings =
        words.isEmpty()
            ? EnumSet.allOf(IssueCancelTrigger.class)
            : EnumSet.noneOf(IssueCancelTrigger.class);
    for (var word : words) {
      if (!word.equals(Setting.OFF)) {
        endings.add(
            IssueCancelTrigger.of(word)
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            ("%s cannot be %s. It lists the events that stop a run: unlabel,"
                                    + " unassign, close, delete, move, done; or off.")
                                .formatted(CANCEL_ON, word))));
      }
    }
    var stateLabels = values.text(STATE_LABELS).orElse(Setting.OFF);
    // `true` is the former word for `on`.
    if (!List.of(ON, "true", Setting.OFF).contains(stateLabels)) {
      throw new IllegalArgumentException(STATE_LABELS + " must be on or off.");
    }
    return new TrackerSettings(
        values.text(LABEL).orElse(DEFAULT_WORD),
        values.text(MENTION).orElse(DEFAULT_WORD),
        endings,
        !stateLabels.equals(Setting.OFF),
        values.text(START_STATUS).filter(status -> !status.equals(Setting.OFF)));
  }

  public TriggerLabel trigger() {
    return new TriggerLabel(label);
  }
}
