package dev.runnel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/// One file of the corpus, whose README says how they are written.
///
/// @param gone words that the agent does not read
/// @param kept words that it reads
/// @param isCommand whether it would be a command from somebody who may give one
public record Attack(
    String name, List<String> gone, List<String> kept, boolean isCommand, String words) {
  private static final Pattern CHARACTER = Pattern.compile("\\\\u\\{(?<number>[0-9A-F]{1,6})}");

  public static List<Attack> all() {
    try (var files = Files.list(folder())) {
      return files
          .filter(file -> file.toString().endsWith(".txt"))
          .sorted()
          .map(Attack::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The words, as if somebody had guessed the word of the fence.
  public String words(String fence) {
    return words
        .replace("{FENCE}", fence)
        .replace("{FENCE_IN_CAPITALS}", fence.toUpperCase(Locale.ROOT))
        .replace("{FENCE_SPREAD}", fence.replaceAll(".(?=.)", "$0\u200B"));
  }

  private static Attack read(Path file) {
    try {
      var text = Files.readString(file);
      var at = text.startsWith("---\n") ? 0 : text.indexOf("\n---\n") + 1;
      var holds = text.substring(0, at).lines().toList();
      return new Attack(
          file.getFileName().toString().replace(".txt", ""),
          of(holds, "gone: "),
          of(holds, "kept: "),
          holds.contains("command: yes"),
          characters(text.substring(at + "---\n".length())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> of(List<String> holds, String what) {
    return holds.stream()
        .filter(line -> line.startsWith(what))
        .map(line -> characters(line.substring(what.length())))
        .toList();
  }

  private static String characters(String text) {
    return CHARACTER
        .matcher(text)
        .replaceAll(
            each -> {
              var point = Integer.parseInt(each.group("number"), 16);
              // A dollar or a backslash would mean something here; none is written so.
              return Character.toString(point);
            });
  }

  private static Path folder() {
    try {
      return Path.of(Objects.requireNonNull(Attack.class.getResource("/corpus")).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
