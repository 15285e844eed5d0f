package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
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

/// A bare mirror of every repository on this disk, so that a run's clone is a copy of what is here
/// and the network carries only what is new. One process at a time works on the folder.
final class CloneCache {
  private static final Logger log = LoggerFactory.getLogger(CloneCache.class);
  private static final long LOOK_UP_MILLIS = 100;
  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}([0-9a-f]{24})?");
  private static final Pattern HEAD = Pattern.compile("^ref: (refs/heads/\\S+)\\s+HEAD$");

  /// What is known of a mirror. Whoever fetches holds the write lock over it, whoever copies from
  /// it the read lock: git tidies up after a fetch, and a copy would miss what it moves.
  private static final class Line {
    final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    // Guarded by the lock: when the last good fetch began.
    Optional<Long> fetchedAt = Optional.empty();
  }

  private final Path folder;
  private final Map<String, String> lent;
  private final Map<Path, Line> lines = new ConcurrentHashMap<>();

  CloneCache(Path folder, Map<String, String> lent) {
    this.folder = folder;
    this.lent = lent;
  }

  /// Clones a repository as it is now on its server, checked out at its ref.
  ///
  /// Runs that ask at the same time share a fetch: one that began after the question is an answer
  /// to it.
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
          // Objects shared with the cache by hard links would let a walled-in agent reach out.
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

  /// The mirror, brought up to date.
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

  /// The mirror as it is, if there is one.
  Optional<Path> existing(Repository repository) {
    return Optional.of(mirror(repository)).filter(Files::isDirectory);
  }

  /// Deletes the mirrors of repositories that no environment names any more.
  void keepOnly(List<Repository> repositories) throws IOException {
    var kept = repositories.stream().map(this::mirror).collect(Collectors.toSet());
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (var mirrors = Files.list(folder)) {
      for (var each : mirrors.toList()) {
        if (!kept.contains(each)) {
          log.info("clone of no environment deleted folder={}", each.getFileName());
          Disk.delete(each);
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
      Disk.delete(work);
      Disk.createPrivately(folder);
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
      // A commit that no branch holds any more; not every server gives it out.
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

  /// Whether it holds the wanted commit; a branch or a tag is for the server to say.
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

  /// A git that was killed leaves its locks; nobody else works here while we hold ours.
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

  /// Named for people, and told apart by the address.
  private Path mirror(Repository repository) {
    try {
      var digest =
          MessageDigest.getInstance("SHA-256")
              .digest(repository.url().getBytes(StandardCharsets.UTF_8));
      return folder.resolve(
          repository.folder() + "-" + HexFormat.of().formatHex(digest, 0, 6) + ".git");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
