package dev.runnel.console.numbers;

import java.util.Locale;

/// Costs for people.
final class Money {
  private static final double MICROS = 1e6;

  private Money() {}

  /// `$12.30`; empty for 0, which means unknown.
  static String of(long micros) {
    if (micros == 0) {
      return "";
    }
    return micros < 10_000 ? "under $0.01" : String.format(Locale.ROOT, "$%,.2f", micros / MICROS);
  }

  /// `12.300000`.
  static String plain(long micros) {
    return String.format(Locale.ROOT, "%.6f", micros / MICROS);
  }
}
