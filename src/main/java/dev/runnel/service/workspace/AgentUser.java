package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/// The account that agents and setup commands work as, and to which the files of runs belong.
///
/// @param uid user id; negative for that of this process, whose files keep their owner
/// @param gid group id, likewise
public record AgentUser(int uid, int gid) {
  /// The account of this process.
  public static final AgentUser SAME = new AgentUser(-1, -1);

  private static final String UID = "unix:uid";
  private static final String GID = "unix:gid";

  /// Whether commands must change to it from the account of this process, which is root then.
  public boolean isAnother() {
    return uid > 0;
  }

  /// Gives it a file or folder that this process has just created; links are not followed.
  public void own(Path created) throws IOException {
    if (uid >= 0) {
      Files.setAttribute(created, UID, uid, LinkOption.NOFOLLOW_LINKS);
      Files.setAttribute(created, GID, gid, LinkOption.NOFOLLOW_LINKS);
    }
  }

  /// The same for a file or folder that is open, so that its path does not matter.
  void own(PosixFileAttributeView created) throws IOException {
    if (uid >= 0) {
      var accounts = FileSystems.getDefault().getUserPrincipalLookupService();
      created.setOwner(accounts.lookupPrincipalByName(Integer.toString(uid)));
      created.setGroup(accounts.lookupPrincipalByGroupName(Integer.toString(gid)));
    }
  }

  /// Lets it pass through a folder of this process to its own files, but not list or change it.
  public void admit(Path folder) throws IOException {
    if (isAnother()) {
      Files.setAttribute(folder, GID, gid, LinkOption.NOFOLLOW_LINKS);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x---"));
    }
  }

  /// Gives it a folder with all that belongs to the folder's owner, unless the folder is its own.
  /// Files of other owners in there may be links to files elsewhere, and are left alone. No process
  /// of the run may be running.
  ///
  /// @param folder need not exist
  public void takeOver(Path folder) throws IOException {
    if (uid < 0 || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    var owner = ownerOf(folder);
    if (owner.equals(uid)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            takeOver(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          // The folder itself comes last, so that an interrupted call is repeated.
          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e)
              throws IOException {
            takeOver(each);
            return FileVisitResult.CONTINUE;
          }

          private void takeOver(Path path) throws IOException {
            try {
              if (ownerOf(path).equals(owner)) {
                own(path);
              }
            } catch (NoSuchFileException _) {
              // Another run that shares the folder has deleted it.
            }
          }
        });
  }

  private static Object ownerOf(Path path) throws IOException {
    return Files.getAttribute(path, UID, LinkOption.NOFOLLOW_LINKS);
  }
}
