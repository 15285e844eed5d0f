package dev.runnel.core.deliver;

import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import java.util.Optional;

/// What an update says in words without markup, for a surface that cannot render it. Pure.
final class PlainNotice {
  private static final int MAX_TEXT = 3_000;
  private static final String KEPT = " \n.,:;?()'-/";
  private static final String UNFORMATTED =
      "This cannot be shown with its formatting, so signs are missing:";

  private PlainNotice() {}

  /// @return empty if it only shows progress, or consists of more than words
  static Optional<Update.Message> of(Update update) {
    return switch (update) {
      case Update.Succeeded it ->
          Optional.of(
              message(it.requester(), "The run has finished.", it.run().message().orElse("")));
      case Update.Failed it -> Optional.of(message(it.requester(), "The run failed.", it.why()));
      case Update.Cancelled it -> Optional.of(message(it.requester(), "The run was stopped.", ""));
      case Update.Blocked it ->
          Optional.of(message(it.requester(), "The run waits for an answer.", it.question()));
      case Update.Reminder it ->
          Optional.of(message(it.requester(), "The run still waits for an answer.", it.question()));
      case Update.Message it ->
          Optional.of(new Update.Message(it.to(), plain(it.text()), it.privately()));
      case Update.Status _,
          Update.QuestionClosed _,
          Update.FileMade _,
          Update.Still _,
          Update.Listed _,
          Update.Answered _,
          Update.Screened _,
          Update.Helped _,
          Update.Received _ ->
          Optional.empty();
    };
  }

  private static Update.Message message(Actor to, String what, String text) {
    var words = text.isBlank() ? what : what + " " + UNFORMATTED + "\n\n" + plain(text);
    return new Update.Message(to, words, false);
  }

  private static String plain(String text) {
    var words = new StringBuilder();
    text.codePoints()
        .limit(MAX_TEXT)
        .map(each -> Character.isLetterOrDigit(each) || KEPT.indexOf(each) >= 0 ? each : ' ')
        .forEach(words::appendCodePoint);
    return words.toString().strip();
  }
}
