package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.database.DatabaseException;
import dev.runnel.database.OwnerOnly;
import dev.runnel.database.SqliteCopy;
import dev.runnel.service.workspace.Folders;
import dev.runnel.store.audit.AuditLog;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;

/// `./runnel backup DIR`: copies the databases, keys and workspaces of a running or stopped server.
///
/// The bot's database is copied first: it contains every acknowledged delivery, and each run that
/// it knows is in the service's database, which is copied later. Work that the bot did between the
/// two copies looks like work whose response was lost: after a restore, the bot first looks for its
/// effect.
///
/// @param version Runnel's version, which the backup contains
public record BackupCommand(
    Config config, String version, InstantSource clock, PrintStream out, PrintStream err) {
  private static final int MAX_NOTES = 20;

  /// Changes in a copy of the bot's database: waiting work may have been attempted after the copy
  /// was made.
  static final List<String> CHANGES_IN_COPY =
      List.of(
          "UPDATE inbox SET tries = 1 WHERE state = 0 AND tries = 0",
          "UPDATE outbox SET tries = 1 WHERE state = 0 AND tries = 0",
          // People have to sign in to the console again.
          "DELETE FROM console_links",
          "DELETE FROM console_sessions");

  /// @return the exit code
  public int run(Path folder) {
    var target = folder.toAbsolutePath().normalize();
    if (!Files.isDirectory(config.data())) {
      throw BotDatabase.none(config, "name its folder with --data");
    }
    if (target.startsWith(config.data())) {
      err.println("%s is in the data folder. Choose a folder outside.".formatted(target));
      return 1;
    }
    try {
      if (Files.exists(target) && !DataFolder.isEmpty(target)) {
        err.println("%s is not empty. Name a folder that does not exist yet.".formatted(target));
        return 1;
      }
      var parts = target.resolveSibling("." + target.getFileName() + ".partial");
      Folders.delete(parts);
      OwnerOnly.createFolders(parts);
      var manifest = write(parts);
      Files.write(parts.resolve(BackupManifest.FILE), manifest.bytes());
      OwnerOnly.close(parts.resolve(BackupManifest.FILE));
      FolderTree.force(parts);
      Files.move(parts, target, StandardCopyOption.ATOMIC_MOVE);
      out.println("ok: %d files in %s".formatted(manifest.files().size(), target));
      if (config.databaseUrl().isPresent()) {
        out.println(
            "The database with runs and deliveries is on PostgreSQL, and not in this backup. Back"
                + " it up with pg_dump, before this one: pg_dump first, then ./runnel backup. To"
                + " restore, pg_restore first, then ./runnel restore.");
      }
      return 0;
    } catch (AccessDeniedException e) {
      err.println(
          "The backup was not finished: %s cannot be accessed. Run the command as the user that Runnel runs as."
              .formatted(e.getMessage()));
      return 1;
    } catch (IOException | UncheckedIOException | DatabaseException e) {
      err.println(
          "The backup was not finished: %s. Check that %s can be written and has room."
              .formatted(e.getMessage(), target));
      return 1;
    }
  }

  private BackupManifest write(Path parts) throws IOException {
    var schemas = new HashMap<String, String>();
    audit(parts);
    var tree = new FolderTree(parts);
    for (var name : List.of(BotDatabase.FILE, RunDatabase.FILE)) {
      var database = config.data().resolve(name);
      if (!Files.exists(database)
          || (name.equals(BotDatabase.FILE) && config.databaseUrl().isPresent())) {
        continue;
      }
      var copy = parts.resolve(name);
      SqliteCopy.copy(database, copy);
      if (name.equals(BotDatabase.FILE)) {
        SqliteCopy.change(copy, CHANGES_IN_COPY);
      }
      schemas.put(name, SqliteCopy.version(copy));
      tree.files.put(name, BackupManifest.sum(copy));
    }
    try (var entries = Files.list(config.data())) {
      for (var entry : entries.filter(DataFolder::isBackedUp).toList()) {
        tree.copy(real(entry, tree.notes), parts.resolve(entry.getFileName().toString()));
      }
    }
    printNotes(tree.notes);
    return new BackupManifest(
        BackupManifest.FORMAT,
        version,
        clock.instant().truncatedTo(ChronoUnit.SECONDS).toString(),
        schemas,
        tree.files,
        tree.links,
        tree.folders,
        tree.executables);
  }

  /// Follows a link in the data folder itself, because workspaces may be on another disk.
  private static Path real(Path entry, List<String> notes) throws IOException {
    if (!Files.isSymbolicLink(entry)) {
      return entry;
    }
    try {
      var real = entry.toRealPath();
      notes.add(
          "%s is a link to %s. Its target is in the backup, and a restore creates a folder, not a link."
              .formatted(entry, real));
      return real;
    } catch (NoSuchFileException e) {
      throw new IOException("%s is a link to something that is not there".formatted(entry), e);
    }
  }

  private void printNotes(List<String> notes) {
    notes.stream().limit(MAX_NOTES).forEach(err::println);
    if (notes.size() > MAX_NOTES) {
      err.println("... and %d more like these.".formatted(notes.size() - MAX_NOTES));
    }
  }

  /// A backup contains private data, so it is audited.
  private void audit(Path parts) {
    if (config.databaseUrl().isEmpty() && !Files.exists(BotDatabase.file(config))) {
      return;
    }
    try (var database = BotDatabase.open(config)) {
      new AuditLog(database)
          .add(
              AuditEntry.of(
                  clock.instant(),
                  CommandLinePerson.here(),
                  AuditEntry.Verb.BACKUP,
                  "to " + parts.getParent()));
    } catch (DatabaseException e) {
      err.println("The backup is not in the audit log: " + e.problem());
    }
  }
}
