package dev.runnel.service.workspace;

import dev.runnel.threads.SupervisedThread;
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

/// Snapshots of workspaces after the last execution of their runs, with the agent's session, in a
/// folder that nodes share. If the node of a run is lost, another node continues the run with its
/// snapshot. One compressed archive per run, `RUN.tar.gz`, without cache folders ([CacheFolders]).
/// Thread-safe; calls block, but not longer than the timeout, because the folder may be on a volume
/// that does not respond.
///
/// The content of an archive is not trusted, because agents control it.
public final class Snapshots {
  private static final Logger log = LoggerFactory.getLogger(Snapshots.class);
  private static final String SUFFIX = ".tar.gz";
  private static final String PART_SUFFIX = ".part";
  private static final Pattern RUN_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,99}");
  private static final Duration PART_RETENTION = Duration.ofDays(1);

  private static final String MANIFEST = "snapshot";
  private static final String WORKSPACE = "workspace";
  private static final String HOME = "home";

  private static final int MAX_ENTRIES = 500_000;
  private static final int MAX_MANIFEST = 16 * 1024;
  private static final int MAX_NAME = 4096;

  /// The result of restoring a workspace.
  public sealed interface Outcome {
    /// @param execution 1-based number of the last execution whose work it contains
    /// @param hasSession whether it contains the agent's session
    record Restored(int execution, boolean hasSession) implements Outcome {}

    /// @param why the reason as a sentence for people
    record Missing(String why) implements Outcome {}
  }

  /// The data to store in a snapshot.
  ///
  /// @param execution 1-based number of the execution that has ended
  /// @param root the workspace, in which no process is running
  /// @param home the run's home folder, which need not exist
  /// @param sessions relative paths of the agent's session in the home folder
  public record Source(String runId, int execution, Path root, Path home, List<String> sessions) {}

  private final Path folder;
  private final long limit;
  private final Duration timeout;

  /// @param folder folder on a volume that all nodes share; created when it is first needed
  /// @param limit maximum size of one archive in bytes
  /// @param timeout maximum duration of an operation on the volume
  public Snapshots(Path folder, long limit, Duration timeout) {
    this.folder = folder;
    this.limit = limit;
    this.timeout = timeout;
  }

  public Path folder() {
    return folder;
  }

  /// Saves a snapshot of a run's workspace, and replaces the previous one. If that fails, the
  /// previous one is kept, and the failure is logged.
  public void save(Source source) throws InterruptedException {
    try {
      withTimeout(
          () -> {
            store(source);
            return source;
          });
    } catch (IOException | RuntimeException e) {
      log.warn("snapshot not saved run={} why={}", source.runId(), e.toString());
    }
  }

  /// Unpacks the snapshot of a run.
  ///
  /// @param staging a new folder for this call alone, in which the folders `workspace` and, if
  ///   there is a session, `home` are created
  /// @param root the future path of the workspace; an agent finds its session only under the same
  ///   path
  /// @param maxBytes maximum size of both folders in bytes
  Outcome restore(String runId, Path staging, Path root, long maxBytes)
      throws InterruptedException {
    try {
      return withTimeout(() -> unpack(runId, staging, root, maxBytes));
    } catch (NoSuchFileException _) {
      return new Outcome.Missing("There is no snapshot of the workspace.");
    } catch (IOException | RuntimeException e) {
      log.warn("snapshot not restored run={} why={}", runId, e.toString());
      return new Outcome.Missing("The snapshot of the workspace could not be read.");
    }
  }

  /// Deletes the snapshot of a run, if there is one.
  public void delete(String runId) throws IOException {
    if (RUN_ID.matcher(runId).matches()) {
      Files.deleteIfExists(file(runId));
    }
  }

  /// Deletes snapshots from before an instant, and incomplete ones of lost nodes.
  public void deleteBefore(Instant oldest, Instant now) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (var files = Files.list(folder)) {
      for (var file : files.toList()) {
        var name = file.getFileName().toString();
        var before = name.endsWith(PART_SUFFIX) ? now.minus(PART_RETENTION) : oldest;
        try {
          if ((name.endsWith(SUFFIX) || name.endsWith(PART_SUFFIX))
              && Files.getLastModifiedTime(file).toInstant().isBefore(before)) {
            Files.deleteIfExists(file);
          }
        } catch (NoSuchFileException _) {
          // Another node has deleted it.
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

  /// Uses a platform thread, because a blocked volume would also block virtual threads.
  private <T> T withTimeout(Callable<T> work) throws IOException, InterruptedException {
    var task = new FutureTask<>(work);
    SupervisedThread.daemon("snapshot", task::run, _ -> {});
    try {
      return task.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      throw new IOException("It took longer than " + timeout);
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

  private void store(Source source) throws IOException {
    var file = file(source.runId());
    Folders.createPrivately(folder);
    var part = folder.resolve("." + source.runId() + "." + UUID.randomUUID() + PART_SUFFIX);
    try {
      try {
        pack(source, part, true);
      } catch (TooLargeException _) {
        log.warn("workspace too large for a snapshot run={} limit={}", source.runId(), limit);
        Files.deleteIfExists(part);
        pack(source, part, false);
      }
      requireNotInterrupted();
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static final class TooLargeException extends IOException {
    private static final long serialVersionUID = 1;
  }

  /// @param withContent false to store only that the workspace was too large
  private void pack(Source source, Path part, boolean withContent) throws IOException {
    try (var channel =
        FileChannel.open(
            part,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            Folders.PRIVATE_FILE)) {
      var bounded = new LimitedOutput(channel, withContent ? limit : Long.MAX_VALUE);
      try (var tar = new TarWriter(new BufferedOutputStream(new FastGzip(bounded), 1 << 16))) {
        var manifest =
            "execution=%d\nworkspace=%s\nwhole=%s\n"
                .formatted(source.execution(), source.root(), withContent)
                .getBytes(StandardCharsets.UTF_8);
        tar.file(
            MANIFEST, false, Instant.EPOCH, manifest.length, new ByteArrayInputStream(manifest));
        if (withContent) {
          pack(tar, source.root(), source.root(), WORKSPACE);
          for (var relativePath : source.sessions()) {
            pack(tar, source.home().resolve(relativePath), source.home(), HOME);
          }
        }
      }
      channel.force(true);
    }
  }

  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(OutputStream out) throws IOException {
      super(out, 1 << 16);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }

  /// Fails when the limit is exceeded.
  private static final class LimitedOutput extends OutputStream {
    private final FileChannel channel;
    private long remaining;

    LimitedOutput(FileChannel channel, long maxBytes) {
      this.channel = channel;
      this.remaining = maxBytes;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      remaining -= length;
      if (remaining < 0) {
        throw new TooLargeException();
      }
      var buffer = ByteBuffer.wrap(bytes, from, length);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  /// @param start a folder or a file; skipped if it does not exist or its path contains a link
  private static void pack(TarWriter tar, Path start, Path base, String prefix) throws IOException {
    var path = base;
    for (var name : base.relativize(start)) {
      path = path.resolve(name);
      if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS) || Files.isSymbolicLink(path)) {
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
            requireNotInterrupted();
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
              if (isInsideWorkspace(base.relativize(each), target)) {
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
            return prefix + "/" + base.relativize(each);
          }
        });
  }

  private Outcome unpack(String runId, Path staging, Path root, long maxBytes) throws IOException {
    try (var in =
        new GZIPInputStream(
            new BufferedInputStream(
                Files.newInputStream(
                    file(runId), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)),
            1 << 16)) {
      var tar = new TarReader(in);
      var manifest = manifest(tar);
      if (!"true".equals(manifest.get("whole"))) {
        return new Outcome.Missing(
            "The workspace was too large for a snapshot (agents.snapshots_limit).");
      }
      var isSamePath = root.toString().equals(manifest.get("workspace"));
      var unpacking =
          new Unpacking(
              tar, staging.resolve(WORKSPACE), staging.resolve(HOME), isSamePath, maxBytes);
      unpacking.run();
      return new Outcome.Restored(
          Integer.parseInt(manifest.getOrDefault("execution", "")), unpacking.hasSession);
    } catch (NumberFormatException _) {
      throw TarReader.damaged("its execution is missing");
    }
  }

  private static Map<String, String> manifest(TarReader tar) throws IOException {
    var entry = tar.next().filter(it -> it.name().equals(MANIFEST) && it.size() <= MAX_MANIFEST);
    if (entry.isEmpty()) {
      throw TarReader.damaged("its manifest is missing");
    }
    var text = new StringBuilder();
    var buffer = new byte[MAX_MANIFEST];
    for (var read = tar.read(buffer); read > 0; read = tar.read(buffer)) {
      text.append(new String(buffer, 0, read, StandardCharsets.UTF_8));
    }
    var manifest = new HashMap<String, String>();
    text.toString()
        .lines()
        .map(line -> line.split("=", 2))
        .filter(parts -> parts.length == 2)
        .forEach(parts -> manifest.put(parts[0], parts[1]));
    return manifest;
  }

  /// Unpacks one archive to two new folders. Links are created last, so that nothing is written
  /// through one.
  private static final class Unpacking {
    private final TarReader tar;
    private final Path root;
    private final Path home;
    private final boolean withSession;
    private final Map<Path, Path> links = new HashMap<>();
    private long remaining;
    private int entries;
    private boolean hasSession;

    Unpacking(TarReader tar, Path root, Path home, boolean withSession, long maxBytes) {
      this.tar = tar;
      this.root = root;
      this.home = home;
      this.withSession = withSession;
      this.remaining = maxBytes;
    }

    void run() throws IOException {
      Folders.createPrivately(root);
      for (var next = tar.next(); next.isPresent(); next = tar.next()) {
        requireNotInterrupted();
        if (++entries > MAX_ENTRIES) {
          throw TarReader.damaged("it has too many entries");
        }
        unpackEntry(next.get());
      }
      for (var link : links.entrySet()) {
        if (!Files.exists(link.getKey(), LinkOption.NOFOLLOW_LINKS)) {
          Files.createSymbolicLink(link.getKey(), link.getValue());
        }
      }
    }

    private void unpackEntry(TarReader.Entry entry) throws IOException {
      var name = path(entry.name());
      var isOfHome = name.startsWith(HOME);
      if (name.getNameCount() < 2 || !(isOfHome || name.startsWith(WORKSPACE))) {
        throw TarReader.damaged("an entry is in an unknown folder");
      }
      remaining -= entry.size();
      if (remaining < 0) {
        throw TarReader.damaged("it is larger than a workspace may be");
      }
      if (isOfHome && !withSession) {
        return;
      }
      var base = isOfHome ? home : root;
      var relativePath = name.subpath(1, name.getNameCount());
      var target = base.resolve(relativePath);
      switch (entry.kind()) {
        case FOLDER -> createFolders(base, relativePath);
        case FILE -> {
          createParents(base, relativePath);
          write(entry, target);
          hasSession |= isOfHome;
        }
        case LINK -> {
          var to = Path.of(entry.target());
          if (!isInsideWorkspace(relativePath, to)) {
            throw TarReader.damaged("a link points outside the workspace");
          }
          createParents(base, relativePath);
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

    private static void createParents(Path base, Path relativePath) throws IOException {
      var parent = relativePath.getParent();
      if (parent != null) {
        createFolders(base, parent);
      } else {
        Folders.createPrivately(base);
      }
    }

    private static void createFolders(Path base, Path relativePath) throws IOException {
      Folders.createPrivately(base);
      var path = base;
      for (var name : relativePath) {
        path = path.resolve(name);
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          // Fails if something else is there.
          Files.createDirectory(path, Folders.PRIVATE_FOLDER);
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
          throw TarReader.damaged("an entry is outside the workspace");
        }
        return path;
      } catch (InvalidPathException _) {
        throw TarReader.damaged("a name is not a valid path");
      }
    }
  }

  /// Whether the target of a link is inside the workspace, regardless of other links: its path goes
  /// up only from real folders, and then only down.
  ///
  /// @param relativePath relative path of the link in the workspace
  private static boolean isInsideWorkspace(Path relativePath, Path target) {
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
    return up < relativePath.getNameCount();
  }

  /// Stops after the timeout, when the caller no longer waits.
  private static void requireNotInterrupted() throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("It took too long");
    }
  }
}
