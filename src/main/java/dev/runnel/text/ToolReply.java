package dev.runnel.text;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;

/// The meaning of a reply to a tool permission request. Pure.
///
/// Only the exact text of a choice permits anything: a plain yes may answer an earlier message.
/// Runnel replaces it by a choice if its sender must have seen the request.
public enum ToolReply {
  ALLOW_ONCE("Allow once"),
  ALLOW_FOR_RUN("Allow for this run"),
  DECLINE("Decline"),
  /// Any other text: it permits nothing, and is passed to the agent.
  OTHER("");

  /// The offered choices, in order.
  public static final List<String> CHOICES =
      List.of(ALLOW_ONCE.choice, ALLOW_FOR_RUN.choice, DECLINE.choice);

  private static final Set<String> ALLOW = Set.of("allow", "allow it", "allowed", "once");

  private static final Pattern REQUEST =
      Pattern.compile("The agent asks to use `[^`\\n]+` \\(request (\\d{1,9}) of this run\\):");
  private static final Pattern ABOUT = Pattern.compile("^(.*) \\(request (\\d{1,9})\\)");

  private final String choice;

  ToolReply(String choice) {
    this.choice = choice;
  }

  public static ToolReply of(String message) {
    var about = ABOUT.matcher(message.strip());
    var words = about.matches() ? about.group(1) : message.strip();
    for (var each : values()) {
      if (each != OTHER && each.choice.equalsIgnoreCase(words)) {
        return each;
      }
    }
    return OTHER;
  }

  /// The choice of a sender who has seen the request: a plain yes permits it once.
  public static Optional<String> choiceOf(String message) {
    var isAllow = ALLOW.contains(message.strip().toLowerCase(Locale.ROOT));
    return switch (isAllow ? PlanReply.APPROVED : PlanReply.of(message)) {
      case APPROVED -> Optional.of(ALLOW_ONCE.choice);
      case DECLINED -> Optional.of(DECLINE.choice);
      case CHANGE -> Optional.empty();
    };
  }

  /// Whether it permits anything.
  public boolean isAllowed() {
    return this == ALLOW_ONCE || this == ALLOW_FOR_RUN;
  }

  /// The text of the choice; empty for [#OTHER].
  public String choice() {
    return choice;
  }

  /// The beginning of the question.
  ///
  /// @param number 1-based number of the request in its run
  public static String request(String tool, int number) {
    return "The agent asks to use `%s` (request %d of this run):".formatted(tool, number);
  }

  /// The number of the request in a question; empty for other questions.
  public static OptionalInt number(String question) {
    var request = REQUEST.matcher(question);
    return request.lookingAt()
        ? OptionalInt.of(Integer.parseInt(request.group(1)))
        : OptionalInt.empty();
  }

  /// A choice as an answer to one request, so that it permits no other.
  public static String about(String choice, int number) {
    return "%s (request %d)".formatted(choice, number);
  }

  /// The number of the request that a reply answers; empty where it names none.
  public static OptionalInt answered(String message) {
    var about = ABOUT.matcher(message.strip());
    return about.matches() ? OptionalInt.of(Integer.parseInt(about.group(2))) : OptionalInt.empty();
  }

  /// The rest of the question after the request, with the choices as a list.
  ///
  /// @param further what the second choice also permits: `the same command`
  public static String question(String further) {
    return "May it do this? *%s* also permits %s later in this run. Other words decline it, and the agent gets them.\n- "
            .formatted(ALLOW_FOR_RUN.choice, further)
        + String.join("\n- ", CHOICES);
  }
}
