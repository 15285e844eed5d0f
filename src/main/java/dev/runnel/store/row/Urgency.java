package dev.runnel.store.row;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Update;

/// The class of a row: with several conversations due, those with urgent rows go first.
public enum Urgency {
  /// Stops, answers to a question, questions that Runnel answers itself; posts that somebody waits
  /// for.
  FIRST(0),
  ORDINARY(1),
  /// Posts that show progress only.
  LAST(2);

  private final int number;

  Urgency(int number) {
    this.number = number;
  }

  /// The class of a delivery.
  public static Urgency of(Delivery delivery) {
    var intent = delivery.intent();
    return intent.overtakes() || intent.answeredQuestion().isPresent() ? FIRST : ORDINARY;
  }

  /// The class of an update.
  ///
  /// @param isEdit whether it edits a post
  public static Urgency of(Update update, boolean isEdit) {
    return switch (update) {
      case Update.Reply _, Update.End _, Update.Blocked _, Update.QuestionClosed _ -> FIRST;
      case Update.Status(var run, _, _, _, _, _, _) when isEdit && !run.state().isTerminal() ->
          LAST;
      case Update.Still _ -> LAST;
      case Update.Status _, Update.Received _, Update.FileMade _, Update.Reminder _ -> ORDINARY;
    };
  }

  /// @param number as stored; 1 for rows of an older version
  public static Urgency of(int number) {
    return switch (number) {
      case 0 -> FIRST;
      case 1 -> ORDINARY;
      default -> LAST;
    };
  }

  /// As stored.
  public int number() {
    return number;
  }
}
