package dev.runnel.core.model.conversation;

import java.time.Duration;
import java.util.Optional;

/// The result of reading a file of a run.
public sealed interface FileContent {
  /// @param bytes must not be modified; two contents are equal only if they are the same array
  @SuppressWarnings("ArrayRecordComponent") // A copy of a large file would double the memory.
  record Read(byte[] bytes) implements FileContent {}

  /// The content must not be shown.
  ///
  /// @param why completes "I did not upload it: …"
  record Withheld(String why) implements FileContent {}

  /// It can be read later.
  record Later(Optional<Duration> after, String why) implements FileContent {}
}
