package dev.runnel.app;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.text.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What a backup holds. Paths are relative to the data folder, with `/`.
///
/// @param format of the backup; this version writes and reads [#FORMAT]
/// @param version of Runnel that made it
/// @param createdAt ISO 8601
/// @param schemas the newest migration of each database file
/// @param files SHA-256 of each file
/// @param links target of each symbolic link
/// @param folders all folders
/// @param executables the files that may be executed, with an empty value
record BackupManifest(
    int format,
    String version,
    String createdAt,
    Map<String, String> schemas,
    Map<String, String> files,
    Map<String, String> links,
    Map<String, String> folders,
    Map<String, String> executables) {
  static final String FILE = "manifest.json";
  static final int FORMAT = 1;

  private static final ObjectMapper JSON = new ObjectMapper();

  BackupManifest {
    schemas = new TreeMap<>(schemas);
    files = new TreeMap<>(files);
    links = new TreeMap<>(links);
    folders = new TreeMap<>(folders);
    executables = new TreeMap<>(executables);
  }

  byte[] bytes() {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A manifest is JSON", e);
    }
  }

  /// @return empty if the folder has no manifest that can be read
  static Optional<BackupManifest> read(Path folder) {
    try {
      return Optional.of(
          JSON.readValue(Files.readAllBytes(folder.resolve(FILE)), BackupManifest.class));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  /// The first thing that is not as it was backed up, in a sentence.
  Optional<String> problem(Path folder) {
    for (var each : files.entrySet()) {
      var file = folder.resolve(each.getKey()).normalize();
      if (!file.startsWith(folder.normalize())) {
        return Optional.of("%s leads out of the backup.".formatted(each.getKey()));
      }
      if (!Files.isRegularFile(file)) {
        return Optional.of("%s is missing.".formatted(each.getKey()));
      }
      if (!sum(file).equals(each.getValue())) {
        return Optional.of("%s was changed or is damaged.".formatted(each.getKey()));
      }
    }
    return Optional.empty();
  }

  /// The SHA-256 of a file, in hexadecimal digits.
  static String sum(Path file) {
    try (var input = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      return Sha256.hex(input);
    } catch (IOException e) {
      throw new UncheckedIOException("%s cannot be read".formatted(file), e);
    }
  }
}
