package dev.runnel.runs;

import java.util.Optional;
import java.util.regex.Pattern;

/// Tells words for people from what a program says to its makers: names of exceptions, stack
/// traces, headers, addresses inside somebody's network.
final class InternalTextFilter {
  private static final Pattern FOR_MAKERS =
      Pattern.compile(
          // com.acme.BadThing, TypeError: …, at com.acme.Thing.run(Thing.java:7)
          "\\b(?:[a-z][\\w$]*\\.){2,}[A-Z]\\w*"
              + "|\\b[A-Z]\\w*(?:Exception|Error|Throwable)\\b"
              + "|\\bTraceback \\("
              // Authorization: Bearer …, X-Api-Key: …
              + "|\\b(?i:authorization|cookie|set-cookie|x-[a-z-]+|content-type)\\s*:"
              + "|\\b(?i:bearer)\\s+\\S{8,}"
              // Addresses of machines
              + "|https?://(?:localhost|[0-9.]+|\\[[0-9a-fA-F:]+])(?:[:/]|\\b)");

  private InternalTextFilter() {}

  static boolean arePlain(String text) {
    return !FOR_MAKERS.matcher(text).find();
  }

  /// On one line, where they are plain; empty otherwise.
  static Optional<String> oneLine(String text) {
    return Optional.of(text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip())
        .filter(it -> !it.isEmpty())
        .filter(InternalTextFilter::arePlain);
  }
}
