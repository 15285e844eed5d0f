package dev.runnel.service.cleanup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The disk that the workspaces share with the database.
public interface FreeSpace {
  long MIB = 1024L * 1024;

  /// Usable space in bytes.
  long free() throws IOException;

  /// Total size in bytes.
  long total() throws IOException;

  /// The disk of a folder, which need not exist yet.
  static FreeSpace of(Path folder) {
    return new FreeSpace() {
      @Override
      public long free() throws IOException {
        return Files.getFileStore(existing(folder)).getUsableSpace();
      }

      @Override
      public long total() throws IOException {
        return Files.getFileStore(existing(folder)).getTotalSpace();
      }
    };
  }

  private static Path existing(Path folder) throws IOException {
    for (var each = folder.toAbsolutePath(); each != null; each = each.getParent()) {
      if (Files.exists(each)) {
        return each;
      }
    }
    throw new IOException("The root of " + folder + " does not exist");
  }
}
