package dev.runnel.app.data;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.database.Schema;
import dev.runnel.text.Sha256;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The content of a backup. Paths are relative to the data folder, with `/`.
///
/// @param format of the backup; this version writes and reads [#FORMAT]
/// @param version of Runnel that made it
/// @param createdAt ISO 8601
/// @param schemas the newest migration of each database file
/// @param files SHA-256 of each file
/// @param links target of each symbolic link
/// @param folders all folders
/// @param executables the files that may be executed, with an empty value
public record BackupManifest(
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

  /// The limit of Linux.
  private static final int MAX_LINKS = 40;

  private static final ObjectMapper JSON = new ObjectMapper();

  public BackupManifest {
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

  /// Whether a link of the backup points outside the data folder, directly or through other links.
  /// A link to an absolute path does.
  boolean pointsOutside(String link) {
    var at = new ArrayDeque<String>();
    var rest = new ArrayDeque<>(parts(link));
    var followed = 0;
    while (!rest.isEmpty()) {
      var part = rest.pop();
      if (part.isEmpty() || part.equals(".")) {
        continue;
      }
      if (part.equals("..")) {
        if (at.isEmpty()) {
          return true;
        }
        at.removeLast();
        continue;
      }
      at.addLast(part);
      var target = links.get(String.join("/", at));
      if (target != null) {
        followed++;
        if (followed > MAX_LINKS || Path.of(target).isAbsolute()) {
          return true;
        }
        at.removeLast();
        parts(target).reversed().forEach(rest::push);
      }
    }
    return false;
  }

  /// A relative path, as it is in a manifest.
  static String name(Path relativePath) {
    return relativePath.toString().replace(File.separatorChar, '/');
  }

  private static List<String> parts(String path) {
    return List.of(path.replace(File.separatorChar, '/').split("/", -1));
  }

  /// A path below one of the links: a restore would write through the link.
  private Optional<String> beneathALink() {
    return Stream.of(files, links, folders)
        .flatMap(each -> each.keySet().stream())
        .filter(
            path -> {
              for (int end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
                if (links.containsKey(path.substring(0, end))) {
                  return true;
                }
              }
              return false;
            })
        .findFirst();
  }

  /// The database of which the backup has a newer version than this program.
  ///
  /// @param known the schemas of this program, by the databases' names
  Optional<String> newerSchema(Map<String, Schema> known) {
    return known.entrySet().stream()
        .filter(
            each -> {
              var version = schemas.getOrDefault(each.getKey(), "");
              return !version.isEmpty() && each.getValue().isOlderThan(version);
            })
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /// The first difference from the manifest, as a sentence; empty if there is none.
  Optional<String> problem(Path folder) throws IOException {
    for (var name : Stream.of(files, links, folders).flatMap(it -> it.keySet().stream()).toList()) {
      var path = folder.resolve(name).normalize();
      if (!path.startsWith(folder.normalize()) || !folder.relativize(path).equals(Path.of(name))) {
        return Optional.of("%s points outside the backup.".formatted(name));
      }
      // By another spelling of its name, a link would not be recognized.
      if (!name(Path.of(name)).equals(name)) {
        return Optional.of("%s is not a plain path.".formatted(name));
      }
    }
    var beneath = beneathALink();
    if (beneath.isPresent()) {
      return Optional.of("%s is below a link.".formatted(beneath.get()));
    }
    var real = folder.toRealPath();
    for (var each : files.entrySet()) {
      var file = folder.resolve(each.getKey());
      var parent = file.getParent();
      if (parent != null && Files.exists(parent) && !parent.toRealPath().startsWith(real)) {
        return Optional.of("%s points outside the backup.".formatted(each.getKey()));
      }
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
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
