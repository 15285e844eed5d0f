package dev.runnel.surface.slack.model;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// The agent's answer as a file, used when it is too long for a message.
///
/// @param name unique in the thread, so that the file can be found again
public record AnswerFile(String name, String text) {
  private static final Pattern NAME = Pattern.compile("answer-[0-9a-f]{8}\\.md");

  public static AnswerFile of(SlackPost.Mark mark, String text) {
    var unique = mark.value().replaceAll("[^0-9a-f]", "");
    return new AnswerFile("answer-" + unique.substring(unique.length() - 8) + ".md", text);
  }

  public static boolean isNameOfOne(String name) {
    return NAME.matcher(name).matches();
  }

  public String title() {
    return "The whole answer";
  }

  public byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
