package dev.runnel.service.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.Optional;
import java.util.Set;

/// A file in a run's workspace. The agent may replace folders by links meanwhile, so no part of the
/// path is resolved twice: each is opened relative to its parent, without following links.
///
/// @param content the content; the caller must close it
record WorkspaceFile(InputStream content, long size) {
  /// @param path relative to the root
  /// @return empty if there is no such file, or it is a link
  static Optional<WorkspaceFile> open(Path root, Path path) throws IOException {
    if (path.isAbsolute() || !path.equals(path.normalize()) || path.startsWith("..")) {
      return Optional.empty();
    }
    try (var stream = Files.newDirectoryStream(root)) {
      return stream instanceof SecureDirectoryStream<Path> folder
          ? openRelative(folder, path)
          : Optional.empty();
    } catch (FileSystemException _) {
      // The file was deleted, or its path contains a link.
      return Optional.empty();
    }
  }

  private static Optional<WorkspaceFile> openRelative(SecureDirectoryStream<Path> folder, Path path)
      throws IOException {
    var name = path.getName(0);
    if (path.getNameCount() > 1) {
      try (var subfolder = folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
        return openRelative(subfolder, path.subpath(1, path.getNameCount()));
      }
    }
    var view =
        folder.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    // Opening a pipe would block until somebody writes to it.
    if (!view.readAttributes().isRegularFile()) {
      return Optional.empty();
    }
    var channel =
        folder.newByteChannel(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    return Optional.of(new WorkspaceFile(Channels.newInputStream(channel), channel.size()));
  }
}
