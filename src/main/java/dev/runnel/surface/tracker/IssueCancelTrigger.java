package dev.runnel.surface.tracker;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// The issue events that stop the run of the issue.
public enum IssueCancelTrigger {
  UNLABEL("removed the label `%2$s`"),
  UNASSIGN("assigned the %1$s to somebody else"),
  CLOSE("closed the %1$s"),
  DELETE("deleted the %1$s"),
  MOVE("moved the %1$s away"),
  DONE("completed the %1$s");

  private final String why;

  IssueCancelTrigger(String why) {
    this.why = why;
  }

  /// What the person did, after their name: `removed the label ...`.
  ///
  /// @param itemType the kind of item: `issue`
  /// @param label the trigger label
  public String why(String itemType, String label) {
    return why.formatted(itemType, label);
  }

  /// The name in the settings: `unlabel`.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<IssueCancelTrigger> of(String word) {
    return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
  }
}
