package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.database.OwnerOnly;
import dev.runnel.service.workspace.Folders;
import dev.runnel.service.workspace.Snapshots;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The folder of the embedded database, the workspaces and the generated key, locked by one process
/// at a time.
public final class DataFolder implements AutoCloseable {
  /// The file with the address of the console, for `./runnel console`.
  public static final String CONSOLE_ADDRESS = "console-address";

  /// The file with the address of the running server, for `./runnel reload`.
  public static final String SERVER_ADDRESS = "server-address";

  private static final String KEY_FILE = "agent-api-key";
  private static final int KEY_BYTES = 24;
  private static final String NODE_FILE = "node";
  private static final String PLACE_FILE = "place";
  private static final Pattern OURS =
      Pattern.compile(
          "(runnel|agent-runs)\\.db(-wal|-shm|-journal|\\.moved)?|node|place|agent-api-key|agents-user|console-address|server-address|connections(\\.unfinished)?\\.yaml|lock|workspaces|homes|caches|libraries|repositories|agents|egress");

  /// Files and folders that a backup omits: the databases, which are copied separately, and data
  /// that can be created again.
  private static final Pattern NOT_BACKED_UP =
      Pattern.compile(
          "(runnel|agent-runs)\\.db.*|agents-user|console-address|server-address|lock|node|repositories|caches|libraries|egress");

  private final Path folder;
  private final FileChannel lockFile;

  private DataFolder(Path folder, FileChannel lockFile) {
    this.folder = folder;
    this.lockFile = lockFile;
  }

  public static DataFolder open(Path folder) {
    try {
      OwnerOnly.createFolders(folder);
      restrictPermissions(folder);
      OwnerOnly.createFile(folder.resolve("lock"));
      var lockFile =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (lock(lockFile) == null) {
        lockFile.close();
        throw new SettingsException(
            "Another Runnel uses the data folder %s. Stop it, or choose another folder with"
                    .formatted(folder)
                + " RUNNEL_DATA or --data.");
      }
      return new DataFolder(folder, lockFile);
    } catch (IOException e) {
      throw new SettingsException(
          "The data folder %s cannot be used: %s. Choose another with RUNNEL_DATA or --data."
              .formatted(folder, why(e)));
    }
  }

  /// Removes other accounts' permissions, because prompts, transcripts, keys and workspaces are
  /// private. A folder that also holds other files keeps its permissions.
  private static void restrictPermissions(Path folder) throws IOException {
    try (var entries = Files.list(folder)) {
      var byOwnership =
          entries.collect(
              Collectors.partitioningBy(
                  entry -> OURS.matcher(entry.getFileName().toString()).matches()));
      byOwnership.getOrDefault(true, List.of()).forEach(OwnerOnly::close);
      if (byOwnership.getOrDefault(false, List.of()).isEmpty()) {
        OwnerOnly.close(folder);
      }
    }
  }

  /// Whether a backup contains the path in the data folder.
  static boolean isBackedUp(Path entry) {
    var name = entry.getFileName().toString();
    return OURS.matcher(name).matches() && !NOT_BACKED_UP.matcher(name).matches();
  }

  /// Deletes the files and folders of a run. They are in subfolders of the data folder, and their
  /// names are the run's id, with or without a suffix after a dot. Does nothing if there are none.
  public static void deleteOfRun(Path data, String run) throws IOException {
    if (!Files.isDirectory(data)) {
      return;
    }
    try (var folders = Files.list(data)) {
      for (var folder :
          folders.filter(DataFolder::isBackedUp).filter(Files::isDirectory).toList()) {
        try (var entries = Files.list(folder)) {
          for (var entry :
              entries.filter(it -> isOfRun(it.getFileName().toString(), run)).toList()) {
            Folders.delete(entry);
          }
        }
      }
    }
  }

  /// Also deletes the snapshot of its workspace for other nodes.
  public static void deleteOfRun(Path data, Optional<Snapshots> snapshots, String run)
      throws IOException {
    deleteOfRun(data, run);
    if (snapshots.isPresent()) {
      snapshots.get().delete(run);
    }
  }

  private static boolean isOfRun(String name, String run) {
    return name.equals(run) || name.startsWith(run + ".");
  }

  static boolean isEmpty(Path folder) throws IOException {
    try (var entries = Files.list(folder)) {
      return entries.findAny().isEmpty();
    }
  }

  /// Whether a process uses the folder.
  public static boolean isInUse(Path folder) throws IOException {
    var file = folder.resolve("lock");
    if (!Files.exists(file)) {
      return false;
    }
    try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      return lock(channel) == null;
    }
  }

  private static String why(IOException e) {
    return switch (e) {
      case FileAlreadyExistsException _ -> "a file has that name";
      case AccessDeniedException _ -> "it cannot be written";
      case NoSuchFileException _ -> "it cannot be created";
      default -> String.valueOf(e.getMessage());
    };
  }

  private static @Nullable FileLock lock(FileChannel file) throws IOException {
    try {
      return file.tryLock();
    } catch (OverlappingFileLockException sameProcess) {
      return null;
    }
  }

  public Path file(String name) {
    return folder.resolve(name);
  }

  /// Stores a text for other processes that use the folder.
  public void write(String name, String text) {
    try {
      OwnerOnly.createFile(folder.resolve(name));
      Files.writeString(folder.resolve(name), text + "\n");
    } catch (IOException e) {
      throw new SettingsException(
          "The file %s in the data folder cannot be written: %s".formatted(name, why(e)));
    }
  }

  /// Removes a text that was stored for other processes, if there is one.
  public void delete(String name) {
    try {
      Files.deleteIfExists(folder.resolve(name));
    } catch (IOException e) {
      throw new SettingsException(
          "The file %s in the data folder cannot be deleted: %s".formatted(name, why(e)));
    }
  }

  /// The embedded service's key: generated at the first start, readable by its owner only.
  public static String key(Path folder) {
    var file = folder.resolve(KEY_FILE);
    try {
      if (Files.exists(file)) {
        return checked(Files.readString(file).strip(), file);
      }
      var bytes = new byte[KEY_BYTES];
      new SecureRandom().nextBytes(bytes);
      var key = "wk-" + HexFormat.of().formatHex(bytes);
      if (!OwnerOnly.createFile(file)) {
        return key(folder);
      }
      Files.writeString(file, key + "\n");
      return key;
    } catch (IOException e) {
      throw new SettingsException(
          "The key file %s cannot be read. Give it to the user that Runnel runs as, or delete it and start Runnel again."
              .formatted(file));
    }
  }

  /// The name of the node that uses this folder, the same after each restart. A copy of the folder
  /// at another path has another name.
  public String node() {
    return name(NODE_FILE).orElseGet(() -> named(NODE_FILE, UUID.randomUUID().toString()));
  }

  /// Identifies the storage of this folder's workspaces. A restored folder keeps it, since it has
  /// the workspaces of the backup, although it belongs to a new node.
  public String place() {
    return name(PLACE_FILE).orElseGet(() -> named(PLACE_FILE, node()));
  }

  /// Lets the restored files belong to the folder in which they will be.
  static void keepPlace(Path restored, Path folder) throws IOException {
    var file = restored.resolve(PLACE_FILE);
    if (Files.exists(file)) {
      Files.writeString(file, Files.readAllLines(file).getFirst() + "\n" + normal(folder) + "\n");
    }
  }

  /// The name in the file; empty if the file was written for a folder at another path.
  private Optional<String> name(String fileName) {
    var file = folder.resolve(fileName);
    try {
      return Files.exists(file)
          ? Optional.of(Files.readAllLines(file))
              .filter(lines -> lines.size() == 2 && lines.getLast().equals(normal(folder)))
              .map(List::getFirst)
          : Optional.empty();
    } catch (IOException e) {
      throw new SettingsException("The file %s cannot be read: %s".formatted(file, why(e)));
    }
  }

  private String named(String fileName, String name) {
    write(fileName, name + "\n" + normal(folder));
    return name;
  }

  private static String normal(Path folder) {
    return folder.toAbsolutePath().normalize().toString();
  }

  private static String checked(String key, Path file) {
    if (!Config.isKey(key)) {
      throw new SettingsException(
          "The key in %s is damaged. Delete the file and start Runnel again: it creates a new one."
              .formatted(file));
    }
    return key;
  }

  public Path path() {
    return folder;
  }

  @Override
  public void close() {
    try {
      lockFile.close();
    } catch (IOException e) {
      throw new UncheckedIOException("The data folder's lock cannot be released", e);
    }
  }
}
