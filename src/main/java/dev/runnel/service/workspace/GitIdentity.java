package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/// The name and address that git writes into commits.
public final class GitIdentity {
  private static final Pattern SECTION = Pattern.compile("^\\s*+\\[([^\\]]*+)\\].*");
  private static final Pattern ENTRY = Pattern.compile("^\\s*+(name|email)\\s*+=(.*)");

  private GitIdentity() {}

  /// A git configuration with the identity of another one, and nothing else: the rest may hold
  /// credentials.
  ///
  /// @return empty if there is no identity in the file, or no file
  public static Optional<String> of(Path configuration) {
    try {
      var identity = new StringBuilder();
      var section = "";
      for (var line : Files.readAllLines(configuration, StandardCharsets.UTF_8)) {
        var begins = SECTION.matcher(line);
        var entry = ENTRY.matcher(line);
        if (begins.matches()) {
          section = begins.group(1).strip();
        } else if (section.equals("user") && entry.matches()) {
          var value = entry.group(2).strip();
          identity.append('\t').append(entry.group(1)).append(" = ").append(value).append('\n');
        }
      }
      return identity.isEmpty() ? Optional.empty() : Optional.of("[user]\n" + identity);
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
