package dev.runnel.memory;

/// What data costs in memory, as a multiple of its bytes outside: the same data takes more room as
/// text, and much more as objects.
public final class Price {
  private static final int TEXT = 2;
  private static final int PARSED = 4;

  private Price() {}

  /// The price of a text.
  ///
  /// @param bytes its size as bytes, or its number of characters
  public static long text(long bytes) {
    return TEXT * bytes;
  }

  /// The price of what a parser makes of a text, with the text itself.
  public static long parsed(long bytes) {
    return PARSED * bytes;
  }
}
