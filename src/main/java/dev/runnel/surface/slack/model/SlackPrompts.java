package dev.runnel.surface.slack.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// The suggested prompts that Slack shows when a user opens the agent.
///
/// @param all at most four, Slack's limit
/// @param areDefaults false when the operator chose them
public record SlackPrompts(List<Prompt> all, boolean areDefaults) {
  static final String SETTING = "SLACK_PROMPTS";

  private static final int MAX = 4;
  private static final int MAX_TITLE = 75;
  private static final int MAX_MESSAGE = 2_000;
  private static final String OFF = "off";
  private static final Pattern BETWEEN = Pattern.compile("[\\r\\n|]");

  /// @param title the label of the button
  /// @param message the text that pressing it sends
  public record Prompt(String title, String message) {}

  /// The same as in the manifest, from which current agent apps read them.
  public static final SlackPrompts DEFAULT =
      new SlackPrompts(
          List.of(
              new Prompt("What can you do?", "help"),
              new Prompt("My runs", "list mine"),
              new Prompt(
                  "Fix a failing test", "Find a test that fails, fix it, and open a pull request."),
              new Prompt(
                  "Explain the code",
                  "Explain in one page how the code is built, and where to start reading.")),
          true);

  public SlackPrompts {
    all = List.copyOf(all);
  }

  /// Reads the setting: `title = message`, one per line, or separated by `|`; `off` for none.
  ///
  /// @throws IllegalArgumentException with the setting's name and what is wrong
  static SlackPrompts from(Map<String, String> settings) {
    var setting = settings.getOrDefault(SETTING, "").strip();
    if (setting.isEmpty()) {
      return DEFAULT;
    }
    List<Prompt> prompts = new ArrayList<>();
    if (!setting.equals(OFF)) {
      for (var line : BETWEEN.split(setting, -1)) {
        if (!line.isBlank()) {
          prompts.add(prompt(line));
        }
      }
    }
    if (prompts.size() > MAX) {
      throw new IllegalArgumentException(
          "%s (slack.prompts) has %d prompts. Slack shows at most %d."
              .formatted(SETTING, prompts.size(), MAX));
    }
    return new SlackPrompts(prompts, false);
  }

  private static Prompt prompt(String line) {
    var equals = line.indexOf('=');
    var title = (equals < 0 ? line : line.substring(0, equals)).strip();
    var message = equals < 0 ? title : line.substring(equals + 1).strip();
    if (title.isEmpty()
        || message.isEmpty()
        || title.length() > MAX_TITLE
        || message.length() > MAX_MESSAGE) {
      throw new IllegalArgumentException(
          "%s (slack.prompts) holds up to %d lines like this: Fix a test = Find a failing test and fix it. Before the = there are at most %d characters."
              .formatted(SETTING, MAX, MAX_TITLE));
    }
    return new Prompt(title, message);
  }
}
