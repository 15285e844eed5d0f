package dev.runnel.service.workspace;

import dev.runnel.text.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
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
  private static final long LOCK_POLL_MILLIS = 100;

  /// Without it, git takes the repository around a mirror whose files are damaged.
  private static final String THIS_FOLDER = "--git-dir=.";

  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}([0-9a-f]{24})?");
  private static final Pattern HEAD = Pattern.compile("^ref: (refs/heads/\\S+)\\s+HEAD$");
  private static final Pattern HEAD_COMMIT = Pattern.compile("^([0-9a-f]{40,64})\\s+HEAD$");

  /// The server's HEAD in a mirror if it is a commit.
  private static final String DETACHED_HEAD = "refs/runnel/HEAD";

  /// A ref that never exists.
  private static final String NO_BRANCH = "refs/runnel/none";

  /// Git's words for a failure that a new mirror cannot prevent: of the network, a credential or a
  /// full disk.
  private static final Pattern NOT_DAMAGE =
      Pattern.compile(
          "Could not resolve|Failed to connect|Connection (?:refused|reset|timed out|closed)"
              + "|Network is unreachable|Operation timed out|Authentication failed"
              + "|Permission denied|could not read (?:Username|Password)"
              + "|Host key verification failed|The requested URL returned error|RPC failed"
              + "|SSL |No space left on device|Disk quota exceeded",
          Pattern.CASE_INSENSITIVE);

  /// Git's words for an object that cannot be read.
  private static final Pattern UNREADABLE_OBJECT =
      Pattern.compile("is corrupt|is empty|bad object|invalid object|unable to read|inflate");

  /// A failure that a damaged mirror can cause.
  ///
  /// @param rebuilds how often the mirror had been rebuilt
  private record Damage(SetupException error, int rebuilds) {}

  /// The state of a mirror. A fetch holds the write lock, a copy the read lock, because git repacks
  /// after a fetch, and a concurrent copy would miss objects that are moved.
  private static final class MirrorState {
    final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    // Guarded by the lock: when the last successful fetch began, in nanoseconds of
    // [System#nanoTime].
    Optional<Long> fetchedAt = Optional.empty();
    // Guarded by the lock.
    int rebuilds;
  }

  private final Path folder;
  private final Map<String, String> variableValues;
  private final Map<Path, MirrorState> mirrorStates = new ConcurrentHashMap<>();

  CloneCache(Path folder, Map<String, String> variableValues) {
    this.folder = folder;
    this.variableValues = variableValues;
  }

  /// Clones the current state of a repository from its server and checks out its ref.
  ///
  /// Concurrent callers share a fetch: a fetch that started after a call is sufficient for that
  /// call.
  void checkOut(Repository repository, Path target, CommandRunner commandRunner)
      throws SetupException, StoppedException, InterruptedException, IOException {
    var mirror = update(repository, commandRunner);
    var damage = copy(repository, mirror, target, commandRunner);
    if (damage.isPresent()) {
      repair(repository, mirror, damage.get(), commandRunner);
      Folders.delete(target);
      damage = copy(repository, mirror, target, commandRunner);
    }
    if (damage.isPresent()) {
      throw damage.get().error();
    }
  }

  /// Copies a mirror and checks out the ref.
  ///
  /// @return empty if it succeeded
  /// @throws SetupException if it failed for another reason than a damaged mirror
  private Optional<Damage> copy(
      Repository repository, Path mirror, Path target, CommandRunner commandRunner)
      throws SetupException, StoppedException, InterruptedException {
    var git = new Git(commandRunner, variableValues);
    var state = stateOf(mirror);
    var readLock = state.lock.readLock();
    acquire(readLock, commandRunner);
    var rebuilds = state.rebuilds;
    try {
      var clone = new ArrayList<>(List.of("clone", "--quiet", "--no-checkout", "--template="));
      if (commandRunner.separatesAgents()) {
        // With hard links, such an agent could modify objects in the cache. Otherwise git makes
        // them where it can; with --local, it would fail on another disk.
        clone.add("--no-hardlinks");
      }
      clone.addAll(List.of("--", mirror.toString(), target.toString()));
      git.runOrFail(
          "The clone of " + repository.fullName() + " could not be copied",
          folder,
          clone.toArray(String[]::new));
    } catch (SetupException e) {
      if (NOT_DAMAGE.matcher(e.why()).find()) {
        throw e;
      }
      return Optional.of(new Damage(e, rebuilds));
    } finally {
      readLock.unlock();
    }
    git.runOrFail(
        "The origin of the clone could not be set",
        target,
        "remote",
        "set-url",
        "origin",
        repository.url());
    try {
      checkOutRef(repository, target, git);
      return Optional.empty();
    } catch (SetupException e) {
      // Most failures have other reasons, such as a ref that does not exist.
      if (!UNREADABLE_OBJECT.matcher(e.why()).find()) {
        throw e;
      }
      return Optional.of(new Damage(e, rebuilds));
    }
  }

  private static void checkOutRef(Repository repository, Path target, Git git)
      throws SetupException, StoppedException, InterruptedException {
    if (repository.ref().isPresent()) {
      git.runOrFail(
          "%s has no branch, tag or commit %s"
              .formatted(repository.fullName(), repository.ref().get()),
          target,
          "checkout",
          "--quiet",
          "--force",
          repository.ref().get(),
          "--");
    } else if (git.run(target, "rev-parse", "--quiet", "--verify", "HEAD").status() == 0) {
      git.runOrFail("The files could not be checked out", target, "checkout", "--quiet", "--force");
    } else if (hasRefs("refs/remotes/origin", target, git)) {
      throw new SetupException(repository.fullName() + " has no default branch; set ref");
    }
  }

  /// Updates the mirror, creating it if needed.
  Path update(Repository repository, CommandRunner commandRunner)
      throws SetupException, StoppedException, InterruptedException, IOException {
    var mirror = mirror(repository);
    var state = stateOf(mirror);
    var requestedAt = System.nanoTime();
    acquire(state.lock.writeLock(), commandRunner);
    try {
      var startedAt = System.nanoTime();
      var isFresh = state.fetchedAt.isPresent() && state.fetchedAt.get() - requestedAt > 0;
      if (!isFresh || !containsRef(repository, mirror, commandRunner)) {
        fetch(repository, mirror, commandRunner);
        state.fetchedAt = Optional.of(startedAt);
      }
      return mirror;
    } finally {
      state.lock.writeLock().unlock();
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

  /// Fetches into a mirror, creating it if needed. A damaged one is built again. The caller holds
  /// the write lock.
  private void fetch(Repository repository, Path mirror, CommandRunner commandRunner)
      throws SetupException, StoppedException, InterruptedException, IOException {
    if (!Files.isDirectory(mirror)) {
      Files.move(build(repository, mirror, commandRunner), mirror, StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    removeLocks(mirror);
    try {
      fetchInto(mirror, repository, commandRunner);
    } catch (SetupException e) {
      if (NOT_DAMAGE.matcher(e.why()).find()) {
        throw e;
      }
      rebuild(repository, mirror, e, commandRunner);
    }
  }

  /// Builds a mirror again, unless another run did so after the damage was found.
  private void repair(
      Repository repository, Path mirror, Damage damage, CommandRunner commandRunner)
      throws SetupException, StoppedException, InterruptedException, IOException {
    var state = stateOf(mirror);
    acquire(state.lock.writeLock(), commandRunner);
    try {
      if (state.rebuilds == damage.rebuilds()) {
        var startedAt = System.nanoTime();
        rebuild(repository, mirror, damage.error(), commandRunner);
        state.fetchedAt = Optional.of(startedAt);
      }
    } finally {
      state.lock.writeLock().unlock();
    }
  }

  /// Replaces a mirror that may be damaged by a new one. The caller holds the write lock.
  ///
  /// @throws SetupException `error` if the new one cannot be built; then the old one is kept
  private void rebuild(
      Repository repository, Path mirror, SetupException error, CommandRunner commandRunner)
      throws SetupException, StoppedException, InterruptedException, IOException {
    log.warn("clone may be damaged, building it again folder={}", mirror.getFileName());
    Path built;
    try {
      built = build(repository, mirror, commandRunner);
    } catch (SetupException e) {
      error.addSuppressed(e);
      Folders.delete(sibling(mirror, ".new"));
      throw error;
    }
    var damaged = sibling(mirror, ".damaged");
    Folders.delete(damaged);
    Files.move(mirror, damaged, StandardCopyOption.ATOMIC_MOVE);
    Files.move(built, mirror, StandardCopyOption.ATOMIC_MOVE);
    stateOf(mirror).rebuilds++;
    Folders.delete(damaged);
  }

  /// Builds a new mirror beside the place of the mirror.
  private Path build(Repository repository, Path mirror, CommandRunner commandRunner)
      throws SetupException, StoppedException, InterruptedException, IOException {
    var target = sibling(mirror, ".new");
    Folders.delete(target);
    Folders.createPrivately(folder);
    new Git(commandRunner, variableValues)
        .runOrFail(
            "The folder of the clone could not be created",
            folder,
            "init",
            "--quiet",
            "--bare",
            "--template=",
            target.toString());
    fetchInto(target, repository, commandRunner);
    return target;
  }

  private static Path sibling(Path mirror, String suffix) {
    return mirror.resolveSibling(mirror.getFileName() + suffix);
  }

  private void fetchInto(Path target, Repository repository, CommandRunner commandRunner)
      throws SetupException, StoppedException, InterruptedException {
    var git = new Git(commandRunner, variableValues);
    var what = repository.fullName() + " could not be fetched";
    var head =
        git.run(
            Optional.of(repository),
            target,
            THIS_FOLDER,
            "ls-remote",
            "--symref",
            "--",
            repository.url(),
            "HEAD");
    if (head.status() != 0) {
      throw SetupException.of(what + tokenHint(repository), head);
    }
    var branch = firstGroup(HEAD, head.output());
    var isDetached = branch.isEmpty() && firstGroup(HEAD_COMMIT, head.output()).isPresent();
    var fetchCommand =
        new ArrayList<>(
            List.of(
                THIS_FOLDER,
                "fetch",
                "--quiet",
                "--prune",
                "--force",
                "--no-tags",
                "--no-write-fetch-head",
                "--",
                repository.url(),
                "+refs/heads/*:refs/heads/*",
                "+refs/tags/*:refs/tags/*"));
    if (isDetached) {
      // The commit need not be on a branch.
      fetchCommand.add("+HEAD:" + DETACHED_HEAD);
    }
    var fetch = git.run(Optional.of(repository), target, fetchCommand.toArray(String[]::new));
    if (fetch.status() != 0) {
      throw SetupException.of(what + tokenHint(repository), fetch);
    }
    setHead(branch, isDetached, target, git);
    if (!containsRef(repository, target, commandRunner)) {
      // The commit is not on a branch. Not every server allows fetching it.
      git.run(
          Optional.of(repository),
          target,
          THIS_FOLDER,
          "fetch",
          "--quiet",
          "--no-write-fetch-head",
          "--",
          repository.url(),
          repository.ref().orElseThrow() + ":refs/runnel/" + repository.ref().orElseThrow());
    }
  }

  /// Makes the HEAD of a mirror that of the server.
  ///
  /// @param branch the full name of the branch that the server's HEAD names, if it exists
  /// @param isDetached whether the server's HEAD is a commit instead
  private static void setHead(Optional<String> branch, boolean isDetached, Path mirror, Git git)
      throws SetupException, StoppedException, InterruptedException {
    var failure = "The default branch could not be set";
    if (branch.isPresent()) {
      git.runOrFail(failure, mirror, "symbolic-ref", "HEAD", branch.get());
    } else if (isDetached) {
      git.runOrFail(failure, mirror, "update-ref", "--no-deref", "HEAD", DETACHED_HEAD);
    } else if (hasRefs("refs/heads", mirror, git)) {
      // The initial HEAD of the mirror, or an earlier one of the server, may name a branch.
      git.runOrFail(failure, mirror, "symbolic-ref", "HEAD", NO_BRANCH);
    }
  }

  private static boolean hasRefs(String prefix, Path folder, Git git)
      throws StoppedException, InterruptedException {
    return !git.run(folder, "for-each-ref", "--count=1", prefix).output().isBlank();
  }

  private static Optional<String> firstGroup(Pattern line, String text) {
    return text.lines()
        .map(line::matcher)
        .filter(matcher -> matcher.matches())
        .map(matcher -> matcher.group(1))
        .findFirst();
  }

  /// Whether the mirror contains the requested commit; true for a branch or tag, which only the
  /// server can resolve.
  private boolean containsRef(Repository repository, Path mirror, CommandRunner commandRunner)
      throws StoppedException, InterruptedException {
    return repository.ref().filter(ref -> COMMIT.matcher(ref).matches()).isEmpty()
        || new Git(commandRunner, variableValues)
                .run(mirror, "cat-file", "-e", repository.ref().get() + "^{commit}")
                .status()
            == 0;
  }

  private static String tokenHint(Repository repository) {
    return repository.url().startsWith("http") && repository.token().isEmpty()
        ? " (if it is private, name the variable that holds its token)"
        : "";
  }

  /// Removes the lock files of a killed git process. No other process uses the mirror while this
  /// lock is held.
  private static void removeLocks(Path mirror) throws IOException {
    try (var files = Files.walk(mirror)) {
      for (var file : files.filter(each -> each.toString().endsWith(".lock")).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static void acquire(Lock lock, CommandRunner commandRunner)
      throws StoppedException, InterruptedException {
    while (!lock.tryLock(LOCK_POLL_MILLIS, TimeUnit.MILLISECONDS)) {
      commandRunner.requireNotStopped();
    }
  }

  private MirrorState stateOf(Path mirror) {
    return mirrorStates.computeIfAbsent(mirror, _ -> new MirrorState());
  }

  /// Folder of a mirror: the repository's name for people, plus a hash of its URL to be unique.
  private Path mirror(Repository repository) {
    return folder.resolve(
        repository.folder() + "-" + Sha256.hex(repository.url()).substring(0, 12) + ".git");
  }
}
