package dev.runnel.surface.slack.model;

/// Joins a request with a quote of the message it is about. Pure.
public final class SlackQuote {
  private static final String ABOUT = "\n\nThis is about the message:\n> ";

  private SlackQuote() {}

  /// @param message may be blank: then nothing is quoted
  public static String join(String request, String message) {
    return message.isBlank()
        ? request
        : request + ABOUT + message.strip().replaceAll("\\R", "\n> ");
  }

  /// The request without the quote, for readers who see the message itself.
  public static String requestOf(String joined) {
    var at = joined.lastIndexOf(ABOUT);
    return at < 0 ? joined : joined.substring(0, at);
  }
}
