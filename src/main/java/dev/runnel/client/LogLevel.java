package dev.runnel.client;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How much a client logs about its requests and responses.
public enum LogLevel {
  /// Nothing.
  OFF,
  /// One line per attempt, at SLF4J's DEBUG. The default.
  QUIET,
  /// One line per attempt, at SLF4J's INFO.
  INFO,
  /// Also headers and bodies, at SLF4J's INFO: including prompts, but without known secrets.
  DEBUG;

  /// @param name case-insensitive
  /// @return empty if the name is not a level
  static Optional<LogLevel> of(String name) {
    return Arrays.stream(values())
        .filter(level -> level.name().equals(name.strip().toUpperCase(Locale.ROOT)))
        .findFirst();
  }
}
