package dev.runnel.service.workspace;

import dev.runnel.text.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Bare mirrors of all repositories on the local disk. A run's clone is copied from a mirror, and
/// the network transfers only new objects. Only one process may use the folder. Thread-safe.
final class CloneCache {
  private static final Logger log = LoggerFactory.getLogger(CloneCache.class);
  private static final long LOOK_UP_MILLIS = 100;
  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}([0-9a-f]{24})?");
  private static final Pattern HEAD = Pattern.compile("^ref: (refs/heads/\\S+)\\s+HEAD$");

  /// The state of a mirror. A fetch holds the write lock, a copy the read lock: git tidies up after
  /// a fetch, and a concurrent copy would miss the objects that it moves.
  private static final class Line {
    final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    // Guarded by the lock: when the last successful fetch began, in nanoseconds of
    // [System#nanoTime].
    Optional<Long> fetchedAt = Optional.empty();
  }

  private final Path folder;
  private final Map<String, String> lent;
  private final Map<Path, Line> lines = new ConcurrentHashMap<>();

  CloneCache(Path folder, Map<String, String> lent) {
    this.folder = folder;
    this.lent = lent;
  }

  /// Clones the current state of a repository from its server and checks out its ref.
  ///
  /// Concurrent callers share a fetch: one that began after a call satisfies that call.
  void checkOut(Repository repository, Path target, CommandRunner bench)
      throws SetupException, StoppedException, InterruptedException, IOException {
    var git = new Git(bench, lent);
    var mirror = fetched(repository, bench);
    var copying = line(mirror).lock.readLock();
    acquire(copying, bench);
    try {
      git.must(
          "The clone of " + repository.fullName() + " could not be copied",
          folder,
          "clone",
          "--quiet",
          "--no-checkout",
          "--template=",
          // With hard links, an isolated agent could modify objects in the cache.
          bench.isIsolated() ? "--no-hardlinks" : "--local",
          "--",
          mirror.toString(),
          target.toString());
    } finally {
      copying.unlock();
    }
    git.must(
        "The clone's origin was not set", target, "remote", "set-url", "origin", repository.url());
    if (repository.ref().isPresent()) {
      git.must(
          "%s has no branch, tag or commit %s"
              .formatted(repository.fullName(), repository.ref().get()),
          target,
          "checkout",
          "--quiet",
          "--force",
          repository.ref().get(),
          "--");
    } else if (git.run(target, "rev-parse", "--quiet", "--verify", "HEAD").status() == 0) {
      git.must("The files could not be checked out", target, "checkout", "--quiet", "--force");
    }
  }

  /// Updates the mirror, creating it if needed.
  Path fetched(Repository repository, CommandRunner bench)
      throws SetupException, StoppedException, InterruptedException, IOException {
    var mirror = mirror(repository);
    var line = line(mirror);
    var asked = System.nanoTime();
    acquire(line.lock.writeLock(), bench);
    try {
      var began = System.nanoTime();
      var answered = line.fetchedAt.isPresent() && line.fetchedAt.get() - asked > 0;
      if (!answered || !has(repository, mirror, bench)) {
        fetch(repository, mirror, bench);
        line.fetchedAt = Optional.of(began);
      }
      return mirror;
    } finally {
      line.lock.writeLock().unlock();
    }
  }

  /// The mirror without updating it, if it exists.
  Optional<Path> existing(Repository repository) {
    return Optional.of(mirror(repository)).filter(Files::isDirectory);
  }

  /// Deletes mirrors of all other repositories.
  void keepOnly(List<Repository> repositories) throws IOException {
    var kept = repositories.stream().map(this::mirror).collect(Collectors.toSet());
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (var mirrors = Files.list(folder)) {
      for (var each : mirrors.toList()) {
        if (!kept.contains(each)) {
          log.info(
              "deleted clone of a repository that no environment uses folder={}",
              each.getFileName());
          Folders.delete(each);
        }
      }
    }
  }

  private void fetch(Repository repository, Path mirror, CommandRunner bench)
      throws SetupException, StoppedException, InterruptedException, IOException {
    var git = new Git(bench, lent);
    var isNew = !Files.isDirectory(mirror);
    var work = isNew ? mirror.resolveSibling(mirror.getFileName() + ".new") : mirror;
    if (isNew) {
      Folders.delete(work);
      Folders.createPrivately(folder);
      git.must(
          "No room for the clone was made",
          folder,
          "init",
          "--quiet",
          "--bare",
          "--template=",
          work.toString());
    } else {
      removeLocks(work);
    }
    var what = repository.fullName() + " could not be fetched";
    var head =
        git.run(
            Optional.of(repository), work, "ls-remote", "--symref", "--", repository.url(), "HEAD");
    if (head.status() != 0) {
      throw SetupException.of(what + hint(repository), head);
    }
    var fetched =
        git.run(
            Optional.of(repository),
            work,
            "fetch",
            "--quiet",
            "--prune",
            "--force",
            "--no-tags",
            "--no-write-fetch-head",
            "--",
            repository.url(),
            "+refs/heads/*:refs/heads/*",
            "+refs/tags/*:refs/tags/*");
    if (fetched.status() != 0) {
      throw SetupException.of(what + hint(repository), fetched);
    }
    var branch =
        head.output()
            .lines()
            .map(HEAD::matcher)
            .filter(m -> m.matches())
            .map(m -> m.group(1))
            .findFirst();
    if (branch.isPresent()) {
      git.must("The default branch was not set", work, "symbolic-ref", "HEAD", branch.get());
    }
    if (!has(repository, work, bench)) {
      // A commit that is on no branch any more; not every server serves it.
      git.run(
          Optional.of(repository),
          work,
          "fetch",
          "--quiet",
          "--no-write-fetch-head",
          "--",
          repository.url(),
          repository.ref().orElseThrow() + ":refs/runnel/" + repository.ref().orElseThrow());
    }
    if (isNew) {
      Files.move(work, mirror, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /// Whether the mirror contains the requested commit; true for a branch or tag, which only the
  /// server can resolve.
  private boolean has(Repository repository, Path mirror, CommandRunner bench)
      throws StoppedException, InterruptedException {
    return repository.ref().filter(ref -> COMMIT.matcher(ref).matches()).isEmpty()
        || new Git(bench, lent)
                .run(mirror, "cat-file", "-e", repository.ref().get() + "^{commit}")
                .status()
            == 0;
  }

  private static String hint(Repository repository) {
    return repository.url().startsWith("http") && repository.token().isEmpty()
        ? " (if it is private, name the variable that holds its token)"
        : "";
  }

  /// Removes the lock files of a killed git. Nobody else uses the mirror while we hold our lock.
  private static void removeLocks(Path mirror) throws IOException {
    try (var files = Files.walk(mirror)) {
      for (var file : files.filter(each -> each.toString().endsWith(".lock")).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static void acquire(Lock lock, CommandRunner bench)
      throws StoppedException, InterruptedException {
    while (!lock.tryLock(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS)) {
      bench.check();
    }
  }

  private Line line(Path mirror) {
    return lines.computeIfAbsent(mirror, _ -> new Line());
  }

  /// Folder of a mirror: the repository's name for people, plus a hash of its URL to be unique.
  private Path mirror(Repository repository) {
    return folder.resolve(
        repository.folder() + "-" + Sha256.hex(repository.url()).substring(0, 12) + ".git");
  }
}
