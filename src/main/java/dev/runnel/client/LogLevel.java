package dev.runnel.client;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How much a client tells the log about what it sends and receives.
public enum LogLevel {
  /// Nothing.
  OFF,
  /// One line an attempt, at SLF4J's DEBUG. The usual.
  QUIET,
  /// One line an attempt, at SLF4J's INFO.
  INFO,
  /// Also headers and bodies, at SLF4J's INFO: with prompts, but without what is known to be
  /// secret.
  DEBUG;

  /// @param name in any case; another word than these is not a level
  static Optional<LogLevel> of(String name) {
    return Arrays.stream(values())
        .filter(level -> level.name().equals(name.strip().toUpperCase(Locale.ROOT)))
        .findFirst();
  }
}
