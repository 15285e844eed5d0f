package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/// The private folders of an isolated run, in addition to its workspace. They are kept as long as
/// the workspace, so that agents find their sessions.
///
/// The agent controls their content, and may have replaced anything by a symbolic link. So a link
/// on a path is replaced by a folder before it is used. No process of the run may be running
/// meanwhile.
///
/// @param folder the home folder
/// @param temporary the run's `/tmp`
/// @param caches the download caches that the runs of one environment share
/// @param user the owner of all of them
public record RunHome(Path folder, Path temporary, Path caches, AgentUser user) {
  /// The folders in the home folder where build tools keep downloads. Their settings and logs, and
  /// caches of other programs, are not shared.
  private static final List<String> CACHES =
      List.of(
          """
          .cache/go-build .cache/pip .cache/uv .cargo/registry .gradle/caches .gradle/wrapper/dists
          .m2/repository .npm/_cacache go/pkg
          """
              .split("\\s+"));

  /// Maximum size of a login file in bytes.
  public static final int MAX_LOGIN = 1024 * 1024;

  /// Creates the missing folders. Existing ones are taken over if they belong to another account.
  static RunHome make(Path base, Path caches, AgentUser user) throws IOException {
    var home = new RunHome(base.resolve("home"), base.resolve("tmp"), caches, user);
    Folders.createPrivately(base);
    user.admit(base);
    user.admit(base.toAbsolutePath().resolve("..").normalize());
    for (var each : List.of(home.folder, home.temporary, home.sharedMemory(), caches)) {
      user.takeOver(each);
      home.create(each);
    }
    for (var mount : home.mounts().entrySet()) {
      home.folder(home.folder.relativize(mount.getKey()).toString());
      home.create(mount.getValue());
    }
    return home;
  }

  private void create(Path each) throws IOException {
    if (!Files.isDirectory(each)) {
      Folders.createPrivately(each);
      user.own(each);
    }
  }

  /// The run's `/dev/shm`.
  public Path sharedMemory() {
    return temporary.resolveSibling("shm");
  }

  /// The caches to mount: shared folders by their path in the home folder.
  public Map<Path, Path> mounts() {
    var mounts = new LinkedHashMap<Path, Path>();
    CACHES.forEach(
        place ->
            mounts.put(
                folder.resolve(place),
                caches.resolve(place.replaceFirst("^\\.", "").replace('/', '-'))));
    return mounts;
  }

  /// Copies a file of the operator, unless the run's file is newer, because an agent may have
  /// renewed its login. Does nothing if the operator has no such file.
  ///
  /// @param place the path in the home folder
  public void copy(Path from, String place) throws IOException {
    var file = file(place);
    if (!Files.isRegularFile(from)) {
      return;
    }
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        && Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(from)) >= 0) {
      return;
    }
    Folders.writeBelow(folder, Path.of(place), Files.readAllBytes(from), user);
  }

  /// Changes the text of a copied file, if it exists and is not larger than [#MAX_LOGIN].
  ///
  /// @param place the path in the home folder
  public void change(String place, UnaryOperator<String> edit) throws IOException {
    var path = Path.of(place);
    var before = Folders.readBelow(folder, path, MAX_LOGIN);
    if (before.isPresent()) {
      // In this character set, every byte is a character, so all other bytes are preserved.
      var text = new String(before.get(), StandardCharsets.ISO_8859_1);
      var after = edit.apply(text);
      if (!after.equals(text)) {
        Folders.writeBelow(folder, path, after.getBytes(StandardCharsets.ISO_8859_1), user);
      }
    }
  }

  /// Writes a file unless it exists.
  ///
  /// @param place the path in the home folder
  public void write(String place, String content) throws IOException {
    var file = file(place);
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      Folders.writeBelow(folder, Path.of(place), content.getBytes(StandardCharsets.UTF_8), user);
    }
  }

  /// Creates a folder.
  ///
  /// @param place the path in the home folder
  public Path folder(String place) throws IOException {
    return Folders.createBelow(folder, Path.of(place), user);
  }

  private Path file(String place) throws IOException {
    var path = Path.of(place);
    if (path.isAbsolute() || !path.normalize().equals(path) || path.startsWith("..")) {
      throw new IOException("Not a path in a home folder: " + place);
    }
    var above = path.getParent();
    return (above == null ? folder : folder(above.toString())).resolve(path.getFileName());
  }
}
