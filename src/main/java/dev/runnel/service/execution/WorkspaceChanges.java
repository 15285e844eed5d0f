package dev.runnel.service.execution;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What changed in a workspace since an instant: files by their times, commits by git's log files.
/// Git itself is not run, because the agent controls the clone's settings, which could execute
/// programs.
///
/// @param files without hidden folders and those in which tools put what they build or download
/// @param commits those of `HEAD`, without amended ones
record WorkspaceChanges(int files, int commits) {
  private static final Logger log = LoggerFactory.getLogger(WorkspaceChanges.class);
  private static final int MAX_LOOKED_AT = 200_000;

  /// In all log files together, which an agent could make any number of by links to one.
  private static final long MAX_LOG_BYTES = 16L * 1024 * 1024;

  private static final int MAX_LOOKS_AT_CLOCK = 25;

  private static final Set<String> GENERATED =
      Set.of(
          "node_modules",
          "target",
          "build",
          "dist",
          "out",
          "bin",
          "obj",
          "vendor",
          "__pycache__",
          "coverage",
          "venv");

  /// `OLD NEW who <mail> 1766400000 +0000<tab>commit: Fix it`
  private static final Pattern COMMIT =
      Pattern.compile(
          "[0-9a-f]{40,64} [0-9a-f]{40,64} [^\\t]*> (\\d{1,12}) [+-]\\d{4}\\t"
              + "commit(?: \\((?:initial|merge)\\))?: .*");

  /// The time by the clock that the file system stamps files with, which moves in steps of some
  /// milliseconds and lags behind. Waits for the next step, so that every file that is written from
  /// now on has this time or a later one, and every file before has an earlier one.
  ///
  /// @param root the run's workspace
  static Instant start(Path root) throws InterruptedException {
    try {
      var probe = Files.createTempFile(root, ".runnel-", ".clock");
      try {
        var first = Files.getLastModifiedTime(probe);
        var now = first;
        for (int i = 0; i < MAX_LOOKS_AT_CLOCK && now.equals(first); i++) {
          Thread.sleep(1);
          Files.write(probe, new byte[1]);
          now = Files.getLastModifiedTime(probe);
        }
        return now.toInstant();
      } finally {
        Files.deleteIfExists(probe);
      }
    } catch (IOException e) {
      log.warn("cannot read the file system's clock why={}", e.toString());
      return Instant.now();
    }
  }

  /// @param start from [#start]
  /// @param root the run's workspace, in which no process works any more
  static WorkspaceChanges since(Instant start, Path root) {
    return since(start, root, MAX_LOOKED_AT);
  }

  /// @param most how many files and folders it looks at; an agent could make any number
  static WorkspaceChanges since(Instant start, Path root, int most) {
    var count = new Count(start, most);
    try {
      Files.walkFileTree(root, count);
    } catch (IOException e) {
      log.warn("cannot look through workspace folder={} why={}", root.getFileName(), e.toString());
    }
    return new WorkspaceChanges(count.files, commits(count.clones, start));
  }

  private static int commits(List<Path> clones, Instant start) {
    var left = MAX_LOG_BYTES;
    var commits = 0;
    for (var clone : clones) {
      var file = clone.resolve("logs").resolve("HEAD");
      try {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) <= left) {
          left -= Files.size(file);
          commits += commits(file, start);
        }
      } catch (IOException | UncheckedIOException e) {
        log.warn("cannot read git's log file why={}", e.toString());
      }
    }
    return commits;
  }

  private static int commits(Path file, Instant start) throws IOException {
    try (var lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
      return (int)
          lines
              .map(COMMIT::matcher)
              .filter(it -> it.matches())
              .filter(it -> Long.parseLong(it.group(1)) >= start.getEpochSecond())
              .count();
    }
  }

  private static final class Count extends SimpleFileVisitor<Path> {
    private final Instant start;
    private final List<Path> clones = new ArrayList<>();
    private int files;
    private final int most;
    private int looked;

    Count(Instant start, int most) {
      this.start = start;
      this.most = most;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      var name = folder.getFileName().toString();
      if (name.equals(".git")) {
        clones.add(folder);
      }
      if (++looked >= most) {
        return FileVisitResult.TERMINATE;
      }
      return name.startsWith(".") || GENERATED.contains(name)
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (attributes.isRegularFile()
          && !attributes.lastModifiedTime().toInstant().isBefore(start)) {
        files++;
      }
      return ++looked < most ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }
}
