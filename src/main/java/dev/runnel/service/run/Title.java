package dev.runnel.service.run;

/// Derives a title for a run that was created without one.
public final class Title {
  private static final int MAX = 60;

  private Title() {}

  /// The first non-blank line, shortened at a word boundary to at most 60 characters.
  public static String of(String prompt) {
    var line =
        prompt
            .lines()
            .map(each -> each.strip().replaceAll("\\s+", " "))
            .filter(each -> !each.isEmpty())
            .findFirst()
            .orElse("Untitled");
    if (line.length() <= MAX) {
      return line;
    }
    var space = line.lastIndexOf(' ', MAX);
    var end = space > 0 ? space : line.offsetByCodePoints(0, line.codePointCount(0, MAX));
    return line.substring(0, end) + "…";
  }
}
