package dev.runnel.surface.slack.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.json.BoundedJson;
import dev.runnel.text.Truncation;
import java.util.Arrays;
import java.util.Optional;

/// The private metadata of a modal: Slack stores it, and returns it with the submission. Users do
/// not see it.
///
/// @param channel the channel of answers, or of the message; empty on the Home tab
/// @param thread the thread to post the request in; empty when the modal asks for a channel
/// @param message the timestamp of the message that the request is about
/// @param about the text of that message, cut to fit
/// @param address the URL for private answers
/// @param home whether the modal was opened from the Home tab
/// @param level the level whose defaults it changes
/// @param answers the question of a run that it answers
public record SlackFormNote(
    String channel,
    String thread,
    String message,
    String about,
    Optional<String> address,
    boolean home,
    Optional<Level> level,
    Optional<AskedQuestion> answers) {
  /// Slack's limit for private metadata, in characters.
  static final int MAX = 3_000;

  private static final JsonMapper JSON = BoundedJson.mapper().build();

  public String json() {
    var json = write(about);
    var rest = about;
    while (json.length() > MAX && !rest.isEmpty()) {
      // A character takes at most six in JSON.
      rest =
          Truncation.head(
              rest, Math.max(0, rest.length() - Math.max(1, (json.length() - MAX) / 6)));
      json = write(rest + "…");
    }
    return json;
  }

  private String write(String quoted) {
    var note = JSON.createObjectNode().put("channel", channel);
    note.put("thread", thread).put("message", message).put("about", quoted).put("home", home);
    address.ifPresent(it -> note.put("address", it));
    level.ifPresent(it -> note.put("level", it.name()));
    answers.ifPresent(it -> note.put("answers", it.value()));
    return note.toString();
  }

  /// @return empty for text that [#json()] did not write
  public static Optional<SlackFormNote> read(String json) {
    try {
      var note = JSON.readTree(json);
      if (!note.isObject()) {
        return Optional.empty();
      }
      return Optional.of(
          new SlackFormNote(
              SlackJson.id(note, "channel").orElse(""),
              SlackJson.id(note, "thread").orElse(""),
              SlackJson.id(note, "message").orElse(""),
              SlackJson.text(note, "about"),
              Optional.of(SlackJson.text(note, "address")).filter(it -> !it.isEmpty()),
              note.path("home").asBoolean(),
              Arrays.stream(Level.values())
                  .filter(it -> it.name().equals(SlackJson.text(note, "level")))
                  .findFirst(),
              AskedQuestion.parse(SlackJson.text(note, "answers"))));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
