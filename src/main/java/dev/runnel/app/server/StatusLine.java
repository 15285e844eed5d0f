package dev.runnel.app.server;

/// A line about a component, as the start and `./runnel check` print it.
public final class StatusLine {
  private StatusLine() {}

  /// @param name of the component; blank if the line continues the one before
  public static String of(String name, String text) {
    return "%-12s %s".formatted(name, text);
  }
}
