package dev.runnel.core.model.conversation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The result of reading a file of a run.
public sealed interface FileContent {
  /// @param copy a file, because it may be large; who receives it deletes it
  record Read(Path copy) implements FileContent {}

  /// The content must not be shown.
  ///
  /// @param why completes "I did not upload it: …"
  record Withheld(String why) implements FileContent {}

  /// It can be read later.
  record Later(Optional<Duration> after, String why) implements FileContent {}
}
