package dev.runnel.surface.slack.model;

/// Words about a message, with the message below them. Pure.
public final class SlackQuote {
  private static final String ABOUT = "\n\nThis is about the message:\n> ";

  private SlackQuote() {}

  /// @param message may be blank: then there is nothing to quote
  public static String join(String words, String message) {
    return message.isBlank() ? words : words + ABOUT + message.strip().replaceAll("\\R", "\n> ");
  }

  /// The words alone: who reads them where the message stands needs it no second time.
  public static String words(String joined) {
    var at = joined.lastIndexOf(ABOUT);
    return at < 0 ? joined : joined.substring(0, at);
  }
}
