package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.OwnerOnly;
import dev.runnel.database.Schema;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.service.workspace.Folders;
import dev.runnel.store.SqlStore;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;

/// `./runnel restore DIR`: restores the data folder from a backup. The folder is written under
/// another name and renamed at the end, so that it is complete or missing.
public record RestoreCommand(Config config, PrintStream out, PrintStream err) {
  private static final Map<String, Schema> SCHEMAS =
      Map.of(BotDatabase.FILE, SqlStore.SCHEMA, RunDatabase.FILE, ServiceTables.ON_SQLITE);

  /// @return the exit code
  public int run(Path folder) {
    var backup = folder.toAbsolutePath().normalize();
    var data = config.data();
    try {
      if (DataFolder.isInUse(data)) {
        err.println(
            "A Runnel is running on %s. Stop it, and restore to a new folder with --data."
                .formatted(data));
        return 1;
      }
      if (Files.exists(data) && !DataFolder.isEmpty(data)) {
        err.println(
            "%s is not empty, and nothing in it was changed. Name a new folder with --data, or move this one away."
                .formatted(data));
        return 1;
      }
      var manifest = BackupManifest.read(backup);
      if (manifest.isEmpty()) {
        err.println(
            "%s is not a backup: it has no readable %s.".formatted(backup, BackupManifest.FILE));
        return 1;
      }
      if (manifest.get().format() != BackupManifest.FORMAT) {
        err.println(
            "This backup was made by Runnel %s in another format. Restore it with that version."
                .formatted(manifest.get().version()));
        return 1;
      }
      var newer = manifest.get().newerSchema(SCHEMAS);
      if (newer.isPresent()) {
        err.println(
            "%s in this backup was written by a newer Runnel (%s). Restore it with that version or a later one. Nothing was restored."
                .formatted(newer.get(), manifest.get().version()));
        return 1;
      }
      var problem = manifest.get().problem(backup);
      if (problem.isPresent()) {
        err.println("The backup is not intact: %s Nothing was restored.".formatted(problem.get()));
        return 1;
      }
      if (config.databaseUrl().isPresent()) {
        var missing = prepareServer();
        if (missing.isPresent()) {
          err.println(missing.get());
          return 1;
        }
      }
      write(manifest.get(), backup, data);
      out.println(
          "ok: %d files in %s, as of %s"
              .formatted(manifest.get().files().size(), data, manifest.get().createdAt()));
      return 0;
    } catch (IOException | UncheckedIOException | DatabaseException e) {
      err.println(
          "Nothing was restored: %s. Check that the folder above %s can be written and has room."
              .formatted(e.getMessage(), data));
      return 1;
    }
  }

  /// Changes the bot's database on PostgreSQL, which pg_restore has brought back, as a copy needs
  /// it.
  ///
  /// @return why that is not possible
  private Optional<String> prepareServer() {
    try (var database = BotDatabase.open(config)) {
      var version = database.version();
      if (version.isEmpty()) {
        return Optional.of(
            "The bot's database on PostgreSQL is empty. Restore it with pg_restore first, then"
                + " repeat this command. Nothing was restored.");
      }
      if (SqlStore.SCHEMA.isOlderThan(version.get())) {
        return Optional.of(
            "The bot's database on PostgreSQL was written by a newer Runnel. Restore with that"
                + " version or a later one. Nothing was restored.");
      }
      int _ =
          database.write(
              rows -> {
                var changed = 0;
                for (var statement : BackupCommand.CHANGES_IN_COPY) {
                  changed += rows.change(statement);
                }
                return changed;
              });
      return Optional.empty();
    }
  }

  private void write(BackupManifest manifest, Path backup, Path data) throws IOException {
    var parent = data.getParent();
    if (parent == null) {
      throw new IOException(data + " cannot be a data folder");
    }
    OwnerOnly.createFolders(parent);
    var parts = parent.resolve("." + data.getFileName() + ".restoring");
    // An earlier restore may have been killed.
    Folders.delete(parts);
    OwnerOnly.createFolders(parts);
    for (var each : manifest.folders().keySet()) {
      OwnerOnly.createFolders(inside(parts, each));
    }
    for (var each : manifest.files().entrySet()) {
      var target = inside(parts, each.getKey());
      FolderTree.copyFile(backup.resolve(each.getKey()), target);
      if (!BackupManifest.sum(target).equals(each.getValue())) {
        throw new IOException(each.getKey() + " changed while it was read");
      }
      if (manifest.executables().containsKey(each.getKey())) {
        FolderTree.allowToExecute(target);
      }
    }
    var leftOut = new ArrayList<String>();
    for (var each : manifest.links().entrySet()) {
      if (manifest.pointsOutside(each.getKey())) {
        leftOut.add("%s, to %s".formatted(each.getKey(), each.getValue()));
      } else {
        Files.createSymbolicLink(inside(parts, each.getKey()), Path.of(each.getValue()));
      }
    }
    DataFolder.keepPlace(parts, data);
    FolderTree.force(parts);
    try {
      Files.move(parts, data, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      Folders.delete(parts);
      throw new IOException(
          "%s cannot be replaced as a whole (%s); if it is a mount, name a folder in it with --data"
              .formatted(data, e.getReason()),
          e);
    }
    FolderTree.force(parent);
    if (!leftOut.isEmpty()) {
      err.println("These links point outside the data folder, and were not restored:");
      leftOut.forEach(each -> err.println("  " + each));
    }
  }

  private static Path inside(Path folder, String name) throws IOException {
    var path = folder.resolve(name).normalize();
    if (!path.startsWith(folder) || path.equals(folder)) {
      throw new IOException(name + " points outside the data folder");
    }
    return path;
  }
}
