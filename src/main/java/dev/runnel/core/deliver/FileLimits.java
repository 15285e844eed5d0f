package dev.runnel.core.deliver;

import java.util.Locale;
import java.util.Set;

/// Which files of agents are uploaded.
///
/// @param extensions the permitted file name extensions, in lower case; empty to upload no files
/// @param bytes the maximum size of a file
/// @param count the maximum number per run
public record FileLimits(Set<String> extensions, long bytes, int count) {
  public static final FileLimits DEFAULT =
      new FileLimits(
          Set.of(
              "png", "jpg", "jpeg", "gif", "webp", "pdf", "txt", "md", "log", "csv", "tsv", "json",
              "yaml", "yml", "xml", "html", "diff", "patch", "mp4", "webm"),
          10L << 20,
          10);

  public FileLimits {
    extensions = Set.copyOf(extensions);
  }

  boolean allowsType(String extension) {
    return extensions.contains(extension.toLowerCase(Locale.ROOT));
  }
}
