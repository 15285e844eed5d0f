package dev.runnel.core.policy;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// What a person may be permitted to do.
public enum Permission {
  /// Start a run.
  START("start runs"),
  /// Send a message to a run.
  SAY("write to runs"),
  /// Answer a run that waits for a person.
  ANSWER("answer runs"),
  /// Stop any run.
  STOP("stop runs"),
  /// Stop a run that the person asked for.
  STOP_OWN("stop your own runs"),
  /// Start a run that ended again.
  RETRY("retry runs"),
  /// See lists and states of runs, usage, and what happened to messages.
  READ("see runs"),
  /// Change the defaults of a place or of the person.
  CONFIGURE("change defaults"),
  /// Have a run posted about in another place.
  LINK("link runs"),
  /// Make and change schedules.
  SCHEDULE("change schedules"),
  /// Approve or decline a start that waits for approval.
  APPROVE("approve starts"),
  /// Stop all starts, and permit them again.
  FREEZE("freeze starts");

  private final String words;

  Permission(String words) {
    this.words = words;
  }

  /// The name in the settings: `stop-own`.
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// For a sentence: "You may not start runs here".
  public String words() {
    return words;
  }

  public static Optional<Permission> of(String word) {
    return Stream.of(values()).filter(each -> each.word().equals(word)).findFirst();
  }
}
