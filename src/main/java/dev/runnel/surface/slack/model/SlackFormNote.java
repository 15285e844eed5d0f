package dev.runnel.surface.slack.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.Question.Configure.Level;
import java.util.Arrays;
import java.util.Optional;

/// What a form carries along and brings back when it is filled in: Slack keeps it, and nobody sees
/// it.
///
/// @param channel where its answers go, or what it is about is said; empty on a page
/// @param thread where the words will be said; empty where the form asks for a place
/// @param message the timestamp of the message that they are about
/// @param about what that message says, as far as it fits
/// @param address for private answers
/// @param home whether it was opened on the person's page
/// @param level whose defaults it changes
public record SlackFormNote(
    String channel,
    String thread,
    String message,
    String about,
    Optional<String> address,
    boolean home,
    Optional<Level> level) {
  /// Slack's limit.
  static final int MAX = 3_000;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  public String json() {
    var json = write(about);
    var rest = about;
    while (json.length() > MAX && !rest.isEmpty()) {
      // A character has at most six in JSON.
      rest = head(rest, Math.max(0, rest.length() - Math.max(1, (json.length() - MAX) / 6)));
      json = write(rest + "…");
    }
    return json;
  }

  /// The beginning, without half a character at its end.
  public static String head(String text, int longest) {
    var end = Math.min(text.length(), longest);
    return text.substring(
        0, end > 0 && Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end);
  }

  private String write(String quoted) {
    var note = JSON.createObjectNode().put("channel", channel);
    note.put("thread", thread).put("message", message).put("about", quoted).put("home", home);
    address.ifPresent(it -> note.put("address", it));
    level.ifPresent(it -> note.put("level", it.name()));
    return note.toString();
  }

  /// @return empty for what we did not write
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
                  .findFirst()));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
