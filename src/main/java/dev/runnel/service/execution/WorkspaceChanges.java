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

/// The changes in a workspace since an instant: files by their modification times, commits by git's
/// log files. Git itself is not run, because the agent controls the clone's settings, which could
/// execute programs.
///
/// @param files number of changed files, without hidden folders and folders of build outputs and
///   downloads
/// @param commits number of commits on `HEAD`, without amended ones
record WorkspaceChanges(int files, int commits) {
  private static final Logger log = LoggerFactory.getLogger(WorkspaceChanges.class);
  private static final int MAX_VISITED = 200_000;

  /// For all log files together, because an agent could create any number of links to one.
  private static final long MAX_LOG_BYTES = 16L * 1024 * 1024;

  private static final int MAX_CLOCK_READS = 25;

  private static final Set<String> GENERATED =
      Set.of(
          "node_modules target build dist out bin obj vendor __pycache__ coverage venv".split(" "));

  /// `OLD NEW who <mail> 1766400000 +0000<tab>commit: Fix it`
  private static final Pattern COMMIT =
      Pattern.compile(
          "^[0-9a-f]{40,64} [0-9a-f]{40,64} [^\\t]*> (\\d{1,12}) [+-]\\d{4}\\t"
              + "commit(?: \\((?:initial|merge)\\))?: .*");

  /// The current time of the file system's clock, which lags behind and advances in steps of some
  /// milliseconds. Waits for the next step, so that files that are written from now on have this
  /// time or a later one, and earlier files have an earlier one.
  ///
  /// @param root the run's workspace
  static Instant start(Path root) throws InterruptedException {
    try {
      var probe = Files.createTempFile(root, ".runnel-", ".clock");
      try {
        var first = Files.getLastModifiedTime(probe);
        var now = first;
        for (int i = 0; i < MAX_CLOCK_READS && now.equals(first); i++) {
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
  /// @param root the run's workspace, in which no process is running
  static WorkspaceChanges since(Instant start, Path root) {
    return since(start, root, MAX_VISITED);
  }

  /// @param maxVisited maximum number of files and folders to visit; an agent could create any
  ///   number
  static WorkspaceChanges since(Instant start, Path root, int maxVisited) {
    var counter = new ChangeCounter(start, maxVisited);
    try {
      Files.walkFileTree(root, counter);
    } catch (IOException e) {
      log.warn("cannot look through workspace folder={} why={}", root.getFileName(), e.toString());
    }
    return new WorkspaceChanges(counter.files, commits(counter.clones, start));
  }

  private static int commits(List<Path> clones, Instant start) {
    var remainingBytes = MAX_LOG_BYTES;
    var commits = 0;
    for (var clone : clones) {
      var file = clone.resolve("logs").resolve("HEAD");
      try {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
            && Files.size(file) <= remainingBytes) {
          remainingBytes -= Files.size(file);
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

  private static final class ChangeCounter extends SimpleFileVisitor<Path> {
    private final Instant start;
    private final List<Path> clones = new ArrayList<>();
    private int files;
    private final int maxVisited;
    private int visited;

    ChangeCounter(Instant start, int maxVisited) {
      this.start = start;
      this.maxVisited = maxVisited;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      var name = folder.getFileName().toString();
      if (name.equals(".git")) {
        clones.add(folder);
      }
      if (++visited >= maxVisited) {
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
      return ++visited < maxVisited ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      return FileVisitResult.CONTINUE;
    }
  }
}
