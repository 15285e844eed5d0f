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

/// Recognizes cache folders, which tools can fill again, so that snapshots leave them out: by name,
/// by a build file next to the folder, or by `CACHEDIR.TAG`. A folder that contains files tracked
/// by git is never a cache, because its files would seem deleted. Not thread-safe; for one
/// workspace without running processes.
final class CacheFolders {
  private static final Set<String> CACHE_NAMES =
      Set.of(
          "node_modules __pycache__ .venv venv .gradle .tox .pytest_cache .mypy_cache .ruff_cache"
              .split(" "));

  /// The build files next to a folder that the build tool writes.
  private static final Map<String, List<String>> BUILD_FILES =
      Map.of(
          "target", List.of("pom.xml", "Cargo.toml", "build.sbt"),
          "build", List.of("build.gradle", "build.gradle.kts", "settings.gradle"));

  private static final String TAG = "CACHEDIR.TAG";
  private static final byte[] TAG_SIGNATURE =
      "Signature: 8a477f597d28d172789f06886806bc55".getBytes(StandardCharsets.US_ASCII);

  /// Stands for an index that cannot be searched: every folder counts as tracked.
  private static final String ALL_TRACKED = "\0everything";

  private static final String GIT = ".git";
  private static final long MAX_INDEX = 256L * 1024 * 1024;

  /// The version of git's index format in which paths are compressed.
  private static final int PATH_COMPRESSION_VERSION = 4;

  private final Path root;

  /// The content of git's index by clone; empty if there is none.
  private final Map<Path, String> tracked = new HashMap<>();

  CacheFolders(Path root) {
    this.root = root;
  }

  /// @param folder in the workspace
  boolean isCache(Path folder) throws IOException {
    var name = folder.getFileName().toString();
    var looksLikeCache =
        CACHE_NAMES.contains(name)
            || BUILD_FILES.getOrDefault(name, List.of()).stream()
                .anyMatch(each -> Files.isRegularFile(folder.resolveSibling(each)))
            || isTagged(folder);
    return looksLikeCache && !isTracked(folder);
  }

  private static boolean isTagged(Path folder) throws IOException {
    var tag = folder.resolve(TAG);
    if (!Files.isRegularFile(tag, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (var content = Files.newInputStream(tag, LinkOption.NOFOLLOW_LINKS)) {
      return new String(content.readNBytes(TAG_SIGNATURE.length), StandardCharsets.US_ASCII)
          .equals(new String(TAG_SIGNATURE, StandardCharsets.US_ASCII));
    }
  }

  /// Whether git may track a file in the folder. Git is not run, because the agent controls its
  /// settings; the path is searched in git's index instead.
  private boolean isTracked(Path folder) throws IOException {
    for (var parent = folder.getParent();
        parent != null && parent.startsWith(root);
        parent = parent.getParent()) {
      if (Files.isDirectory(parent.resolve(GIT), LinkOption.NOFOLLOW_LINKS)) {
        var index = tracked.get(parent);
        if (index == null) {
          index = index(parent.resolve(GIT).resolve("index"));
          tracked.put(parent, index);
        }
        var relativePath = parent.relativize(folder) + "/";
        var bytes =
            new String(relativePath.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return index.startsWith(ALL_TRACKED) || index.contains(bytes);
      }
    }
    return false;
  }

  private static String index(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return "";
    }
    if (Files.size(file) > MAX_INDEX) {
      return ALL_TRACKED;
    }
    var bytes = Files.readAllBytes(file);
    var hasCompressedPaths = bytes.length > 7 && bytes[7] >= PATH_COMPRESSION_VERSION;
    return hasCompressedPaths ? ALL_TRACKED : new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
