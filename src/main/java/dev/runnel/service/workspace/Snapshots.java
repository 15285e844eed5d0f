package dev.runnel.service.workspace;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Workspaces as they were after the last execution of their runs, with the agent's session, in a
/// folder that nodes share: a run goes on with them on another node when its own is gone. One
/// compressed archive a run, `RUN.tar.gz`, without the folders that tools fill again
/// ([CacheFolders]). Thread-safe; calls block, but not longer than the patience, because the folder
/// may be on a volume that does not answer.
///
/// Nothing in an archive is trusted: agents control what is in it.
public final class Snapshots {
  private static final Logger log = LoggerFactory.getLogger(Snapshots.class);
  private static final String SUFFIX = ".tar.gz";
  private static final String PART = ".part";
  private static final Pattern RUN_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,99}");
  private static final Duration PARTS_ARE_KEPT = Duration.ofDays(1);

  private static final String ABOUT = "snapshot";
  private static final String WORKSPACE = "workspace";
  private static final String HOME = "home";

  private static final int MAX_ENTRIES = 500_000;
  private static final int MAX_ABOUT = 16 * 1024;
  private static final int MAX_NAME = 4096;

  /// What became of a workspace.
  public sealed interface Outcome {
    /// @param execution the last one whose work is in it, 1-based
    /// @param hasSession whether the agent's session is there, too
    record Restored(int execution, boolean hasSession) implements Outcome {}

    /// @param why for people: a sentence
    record Missing(String why) implements Outcome {}
  }

  /// What is to be kept.
  ///
  /// @param execution the one that has ended, 1-based
  /// @param root the workspace; no process works in it
  /// @param home the run's home folder; need not exist
  /// @param sessions the places of the agent's session in the home folder
  public record Source(String runId, int execution, Path root, Path home, List<String> sessions) {}

  private final Path folder;
  private final long limit;
  private final Duration patience;

  /// @param folder on a volume that all nodes have; made when it is first needed
  /// @param limit maximum size of one archive in bytes
  /// @param patience how long to wait for the volume
  public Snapshots(Path folder, long limit, Duration patience) {
    this.folder = folder;
    this.limit = limit;
    this.patience = patience;
  }

  public Path folder() {
    return folder;
  }

  /// Keeps the workspace of a run, in place of what was kept of it before. If that fails, what was
  /// kept before stays, and only the log says so.
  public void keep(Source source) throws InterruptedException {
    try {
      within(
          () -> {
            store(source);
            return source;
          });
    } catch (IOException | RuntimeException e) {
      log.warn("workspace not kept run={} why={}", source.runId(), e.toString());
    }
  }

  /// Unpacks what was kept of a run.
  ///
  /// @param staging a new folder that nobody else uses: gets the folders `workspace` and, if there
  ///   is a session, `home`
  /// @param root where the workspace will be; an agent finds its session only under the same path
  /// @param most maximum size of both in bytes
  Outcome restore(String runId, Path staging, Path root, long most) throws InterruptedException {
    try {
      return within(() -> unpack(runId, staging, root, most));
    } catch (NoSuchFileException _) {
      return new Outcome.Missing("No snapshot of the workspace had been kept.");
    } catch (IOException | RuntimeException e) {
      log.warn("workspace not restored run={} why={}", runId, e.toString());
      return new Outcome.Missing("The snapshot of the workspace could not be read.");
    }
  }

  /// Deletes what was kept of a run, if anything was.
  public void delete(String runId) throws IOException {
    if (RUN_ID.matcher(runId).matches()) {
      Files.deleteIfExists(file(runId));
    }
  }

  /// Deletes what was kept before an instant, and what nodes left when they were lost.
  public void deleteBefore(Instant oldest, Instant now) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (var files = Files.list(folder)) {
      for (var file : files.toList()) {
        var name = file.getFileName().toString();
        var before = name.endsWith(PART) ? now.minus(PARTS_ARE_KEPT) : oldest;
        try {
          if ((name.endsWith(SUFFIX) || name.endsWith(PART))
              && Files.getLastModifiedTime(file).toInstant().isBefore(before)) {
            Files.deleteIfExists(file);
          }
        } catch (NoSuchFileException _) {
          // Another node was faster.
        }
      }
    }
  }

  private Path file(String runId) {
    if (!RUN_ID.matcher(runId).matches()) {
      throw new IllegalArgumentException("Not the id of a run: " + runId);
    }
    return folder.resolve(runId + SUFFIX);
  }

  /// On a platform thread: virtual ones would wait for it, too.
  private <T> T within(Callable<T> work) throws IOException, InterruptedException {
    var task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().name("snapshot").start(task);
    try {
      return task.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      throw new IOException("It took longer than " + patience);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case null, default -> throw new IOException(e.getCause());
      }
    } finally {
      task.cancel(true);
    }
  }

  // ---- packing

  private void store(Source source) throws IOException {
    var file = file(source.runId());
    Folders.createPrivately(folder);
    var part = folder.resolve("." + source.runId() + "." + UUID.randomUUID() + PART);
    try {
      try {
        pack(source, part, true);
      } catch (TooLargeException _) {
        log.warn("workspace too large to be kept run={} limit={}", source.runId(), limit);
        Files.deleteIfExists(part);
        pack(source, part, false);
      }
      checkTime();
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static final class TooLargeException extends IOException {
    private static final long serialVersionUID = 1;
  }

  /// @param whole false to note only that the workspace was too large
  private void pack(Source source, Path part, boolean whole) throws IOException {
    try (var channel =
        FileChannel.open(
            part,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      var bounded = new Bounded(channel, whole ? limit : Long.MAX_VALUE);
      try (var tar = new TarWriter(new BufferedOutputStream(new Fast(bounded), 1 << 16))) {
        var about =
            "execution=%d\nworkspace=%s\nwhole=%s\n"
                .formatted(source.execution(), source.root(), whole)
                .getBytes(StandardCharsets.UTF_8);
        tar.file(ABOUT, false, Instant.EPOCH, about.length, new ByteArrayInputStream(about));
        if (whole) {
          pack(tar, source.root(), source.root(), WORKSPACE);
          for (var place : source.sessions()) {
            pack(tar, source.home().resolve(place), source.home(), HOME);
          }
        }
      }
      channel.force(true);
    }
  }

  private static final class Fast extends GZIPOutputStream {
    Fast(OutputStream out) throws IOException {
      super(out, 1 << 16);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }

  /// Fails when more is written than may be.
  private static final class Bounded extends OutputStream {
    private final FileChannel channel;
    private long left;

    Bounded(FileChannel channel, long most) {
      this.channel = channel;
      this.left = most;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      left -= length;
      if (left < 0) {
        throw new TooLargeException();
      }
      var buffer = ByteBuffer.wrap(bytes, from, length);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  /// @param start a folder or a file; nothing is written if it does not exist, or a link is on the
  ///   way to it
  private static void pack(TarWriter tar, Path start, Path base, String under) throws IOException {
    var way = base;
    for (var name : base.relativize(start)) {
      way = way.resolve(name);
      if (!Files.exists(way, LinkOption.NOFOLLOW_LINKS) || Files.isSymbolicLink(way)) {
        return;
      }
    }
    var caches = new CacheFolders(base);
    Files.walkFileTree(
        start,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes)
              throws IOException {
            checkTime();
            if (each.equals(base)) {
              return FileVisitResult.CONTINUE;
            }
            if (caches.isCache(each)) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            tar.folder(name(each));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isSymbolicLink()) {
              var target = Files.readSymbolicLink(each);
              if (staysInside(base.relativize(each), target)) {
                tar.link(name(each), target.toString());
              }
            } else if (attributes.isRegularFile()) {
              pack(each, attributes);
            }
            return FileVisitResult.CONTINUE;
          }

          private void pack(Path file, BasicFileAttributes attributes) throws IOException {
            var isExecutable =
                attributes instanceof PosixFileAttributes posix
                    ? posix.permissions().contains(PosixFilePermission.OWNER_EXECUTE)
                    : Files.isExecutable(file);
            if (!Files.isReadable(file)) {
              return;
            }
            try (var content = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
              tar.file(
                  name(file),
                  isExecutable,
                  attributes.lastModifiedTime().toInstant(),
                  attributes.size(),
                  content);
            }
          }

          @Override
          public FileVisitResult visitFileFailed(Path each, IOException e) {
            return FileVisitResult.CONTINUE;
          }

          private String name(Path each) {
            return under + "/" + base.relativize(each);
          }
        });
  }

  // ---- unpacking

  private Outcome unpack(String runId, Path staging, Path root, long most) throws IOException {
    try (var in =
        new GZIPInputStream(
            new BufferedInputStream(
                Files.newInputStream(
                    file(runId), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)),
            1 << 16)) {
      var tar = new TarReader(in);
      var about = about(tar);
      if (!"true".equals(about.get("whole"))) {
        return new Outcome.Missing(
            "The workspace was too large for a snapshot (agents.snapshots_limit).");
      }
      var isSamePlace = root.toString().equals(about.get("workspace"));
      var unpacking =
          new Unpacking(tar, staging.resolve(WORKSPACE), staging.resolve(HOME), isSamePlace, most);
      unpacking.run();
      return new Outcome.Restored(
          Integer.parseInt(about.getOrDefault("execution", "")), unpacking.hasSession);
    } catch (NumberFormatException _) {
      throw TarReader.damaged("it does not say of which execution it is");
    }
  }

  private static Map<String, String> about(TarReader tar) throws IOException {
    var entry = tar.next().filter(it -> it.name().equals(ABOUT) && it.size() <= MAX_ABOUT);
    if (entry.isEmpty()) {
      throw TarReader.damaged("it does not say what it is");
    }
    var text = new StringBuilder();
    var buffer = new byte[MAX_ABOUT];
    for (var read = tar.read(buffer); read > 0; read = tar.read(buffer)) {
      text.append(new String(buffer, 0, read, StandardCharsets.UTF_8));
    }
    var about = new HashMap<String, String>();
    text.toString()
        .lines()
        .map(line -> line.split("=", 2))
        .filter(parts -> parts.length == 2)
        .forEach(parts -> about.put(parts[0], parts[1]));
    return about;
  }

  /// One archive on its way to two folders that nobody else uses. Links are made last, so that
  /// nothing is written through one.
  private static final class Unpacking {
    private final TarReader tar;
    private final Path root;
    private final Path home;
    private final boolean withSession;
    private final Map<Path, Path> links = new HashMap<>();
    private long left;
    private int entries;
    private boolean hasSession;

    Unpacking(TarReader tar, Path root, Path home, boolean withSession, long most) {
      this.tar = tar;
      this.root = root;
      this.home = home;
      this.withSession = withSession;
      this.left = most;
    }

    void run() throws IOException {
      Folders.createPrivately(root);
      for (var next = tar.next(); next.isPresent(); next = tar.next()) {
        checkTime();
        if (++entries > MAX_ENTRIES) {
          throw TarReader.damaged("it has too many entries");
        }
        take(next.get());
      }
      for (var link : links.entrySet()) {
        if (!Files.exists(link.getKey(), LinkOption.NOFOLLOW_LINKS)) {
          Files.createSymbolicLink(link.getKey(), link.getValue());
        }
      }
    }

    private void take(TarReader.Entry entry) throws IOException {
      var name = path(entry.name());
      var isOfHome = name.startsWith(HOME);
      if (name.getNameCount() < 2 || !(isOfHome || name.startsWith(WORKSPACE))) {
        throw TarReader.damaged("an entry belongs to no folder");
      }
      left -= entry.size();
      if (left < 0) {
        throw TarReader.damaged("it is larger than a workspace may be");
      }
      if (isOfHome && !withSession) {
        return;
      }
      var base = isOfHome ? home : root;
      var place = name.subpath(1, name.getNameCount());
      var target = base.resolve(place);
      switch (entry.kind()) {
        case FOLDER -> folders(base, place);
        case FILE -> {
          parents(base, place);
          write(entry, target);
          hasSession |= isOfHome;
        }
        case LINK -> {
          var to = Path.of(entry.target());
          if (!staysInside(place, to)) {
            throw TarReader.damaged("a link leaves the workspace");
          }
          parents(base, place);
          links.put(target, to);
        }
      }
    }

    private void write(TarReader.Entry entry, Path file) throws IOException {
      try (var channel =
          Files.newByteChannel(
              file,
              Set.of(
                  StandardOpenOption.CREATE_NEW,
                  StandardOpenOption.WRITE,
                  LinkOption.NOFOLLOW_LINKS),
              PosixFilePermissions.asFileAttribute(
                  PosixFilePermissions.fromString(
                      entry.isExecutable() ? "rwx------" : "rw-------")))) {
        var buffer = new byte[1 << 16];
        for (var read = tar.read(buffer); read > 0; read = tar.read(buffer)) {
          var bytes = ByteBuffer.wrap(buffer, 0, read);
          while (bytes.hasRemaining()) {
            channel.write(bytes);
          }
        }
      }
      Files.setLastModifiedTime(file, FileTime.from(entry.changed()));
    }

    private static void parents(Path base, Path place) throws IOException {
      var above = place.getParent();
      if (above != null) {
        folders(base, above);
      } else {
        Folders.createPrivately(base);
      }
    }

    private static void folders(Path base, Path place) throws IOException {
      Folders.createPrivately(base);
      var path = base;
      for (var name : place) {
        path = path.resolve(name);
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          // Fails if something else is there.
          Files.createDirectory(
              path,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
      }
    }

    private static Path path(String name) throws IOException {
      try {
        var path = Path.of(name);
        if (name.isEmpty()
            || name.length() > MAX_NAME
            || path.isAbsolute()
            || !path.normalize().equals(path)
            || path.startsWith("..")) {
          throw TarReader.damaged("an entry is outside of the workspace");
        }
        return path;
      } catch (InvalidPathException _) {
        throw TarReader.damaged("a name is not one of a file");
      }
    }
  }

  /// Whether a link leads to something in its workspace, whatever other links there are that do the
  /// same: it goes up from folders, which are no links, and then only down.
  ///
  /// @param place of the link in the workspace
  private static boolean staysInside(Path place, Path target) {
    if (target.isAbsolute()) {
      return false;
    }
    var up = 0;
    var isDown = false;
    for (var name : target) {
      var isUp = name.toString().equals("..");
      if (isUp && isDown) {
        return false;
      }
      up += isUp ? 1 : 0;
      isDown |= !isUp;
    }
    return up < place.getNameCount();
  }

  /// Whoever waits has given up.
  private static void checkTime() throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("It took too long");
    }
  }
}
