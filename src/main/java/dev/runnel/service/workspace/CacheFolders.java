package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Folders that tools fill again by themselves, and so need not be kept: by their name, by the file
/// beside them, or by the mark that tools put into caches. A folder of which git tracks a file is
/// none, whatever its name: its files would seem to have been deleted. Not thread-safe; of one
/// workspace at one time.
final class CacheFolders {
  private static final Set<String> ALWAYS =
      Set.of(
          "node_modules",
          "__pycache__",
          ".venv",
          "venv",
          ".gradle",
          ".tox",
          ".pytest_cache",
          ".mypy_cache",
          ".ruff_cache");

  /// What is beside a folder that a build tool writes.
  private static final Map<String, List<String>> BESIDE =
      Map.of(
          "target", List.of("pom.xml", "Cargo.toml", "build.sbt"),
          "build", List.of("build.gradle", "build.gradle.kts", "settings.gradle"));

  private static final String TAG = "CACHEDIR.TAG";
  private static final byte[] TAGGED =
      "Signature: 8a477f597d28d172789f06886806bc55".getBytes(StandardCharsets.US_ASCII);

  /// Instead of an index that cannot be searched.
  private static final String EVERYTHING = "\0everything";

  private static final String GIT = ".git";
  private static final long MAX_INDEX = 256L * 1024 * 1024;

  /// The version of git's index that shortens the paths.
  private static final int SHORTENED = 4;

  private final Path root;

  /// The paths that git tracks, as one text, by clone; empty where none is known.
  private final Map<Path, String> tracked = new HashMap<>();

  CacheFolders(Path root) {
    this.root = root;
  }

  /// @param folder in the workspace
  boolean isCache(Path folder) throws IOException {
    var name = folder.getFileName().toString();
    var isOne =
        ALWAYS.contains(name)
            || BESIDE.getOrDefault(name, List.of()).stream()
                .anyMatch(each -> Files.isRegularFile(folder.resolveSibling(each)))
            || isTagged(folder);
    return isOne && !isTracked(folder);
  }

  private static boolean isTagged(Path folder) throws IOException {
    var tag = folder.resolve(TAG);
    if (!Files.isRegularFile(tag, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (var content = Files.newInputStream(tag, LinkOption.NOFOLLOW_LINKS)) {
      return new String(content.readNBytes(TAGGED.length), StandardCharsets.US_ASCII)
          .equals(new String(TAGGED, StandardCharsets.US_ASCII));
    }
  }

  /// Whether git may track a file in it. Git is not run, because the agent controls its settings:
  /// the paths are looked for in its index.
  private boolean isTracked(Path folder) throws IOException {
    for (var above = folder.getParent();
        above != null && above.startsWith(root);
        above = above.getParent()) {
      if (Files.isDirectory(above.resolve(GIT), LinkOption.NOFOLLOW_LINKS)) {
        var index = tracked.get(above);
        if (index == null) {
          index = index(above.resolve(GIT).resolve("index"));
          tracked.put(above, index);
        }
        var place = above.relativize(folder) + "/";
        var bytes = new String(place.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return index.startsWith(EVERYTHING) || index.contains(bytes);
      }
    }
    return false;
  }

  private static String index(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return "";
    }
    if (Files.size(file) > MAX_INDEX) {
      return EVERYTHING;
    }
    var bytes = Files.readAllBytes(file);
    var isShortened = bytes.length > 7 && bytes[7] >= SHORTENED;
    return isShortened ? EVERYTHING : new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
