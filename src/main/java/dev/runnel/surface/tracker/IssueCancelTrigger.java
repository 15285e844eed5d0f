package dev.runnel.surface.tracker;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// The issue events that stop its run.
public enum IssueCancelTrigger {
  UNLABEL("the label was removed"),
  UNASSIGN("the %s was assigned to somebody else"),
  CLOSE("the %s was closed"),
  DELETE("the %s was deleted"),
  MOVE("the %s was moved away"),
  DONE("the %s is done");

  private final String why;

  IssueCancelTrigger(String why) {
    this.why = why;
  }

  /// @param thing the kind of item: `issue`
  public String why(String thing) {
    return why.formatted(thing);
  }

  /// The name in the settings: `unlabel`.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<IssueCancelTrigger> of(String word) {
    return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
  }
}
