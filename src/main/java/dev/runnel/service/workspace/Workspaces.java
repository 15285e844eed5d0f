package dev.runnel.service.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Workspaces: one folder per run, prepared from its environment before the first execution, kept
/// for follow-ups, and deleted when it is old or disk space is needed. Thread-safe; calls block.
///
/// A marker file next to a run's folder shows that it is ready, and contains its size after the
/// last execution. Another file lists the observed pushes. Isolated agents cannot access these
/// files.
public final class Workspaces {
  private static final Logger log = LoggerFactory.getLogger(Workspaces.class);
  private static final String READY = ".ready";
  private static final String PUSHES = ".pushes";
  private static final String TRASH = ".trash";

  /// Appended to the size in the marker of a workspace that could not be measured completely.
  private static final String AND_MORE = " and more";

  /// The size of a run's workspace.
  ///
  /// @param isComplete false if it could not be measured completely
  public record Size(String runId, long bytes, boolean isComplete) {}

  private record StoredWorkspace(String runId, Instant usedAt, long bytes) {}

  private final Path folder;
  private final Path homes;
  private final CloneCache cache;
  private final Environments environments;
  private final AgentUser user;
  // Runs whose folders are in use and must not be deleted.
  private final Set<String> inUse = ConcurrentHashMap.newKeySet();
  private final SharedCaches sharedCaches;

  /// @param folder the folder of the workspaces; clones are kept in `repositories` beside it, the
  ///   home folders of isolated runs in `homes`, and the caches of environments in `caches`
  public Workspaces(Path folder, Environments environments) {
    this(folder, environments, AgentUser.SAME);
  }

  /// @param user the owner of the workspaces, home folders and caches
  public Workspaces(Path folder, Environments environments, AgentUser user) {
    this.user = user;
    this.folder = folder.toAbsolutePath().normalize();
    this.homes = this.folder.resolveSibling("homes");
    this.sharedCaches = new SharedCaches(this.folder.resolveSibling("caches"));
    this.environments = environments;
    this.cache =
        new CloneCache(this.folder.resolveSibling("repositories"), environments.variableValues());
  }

  /// The path of a run's folder, which need not exist.
  public Path root(String runId) {
    return folder.resolve(runId);
  }

  /// Whether a run has private folders from an earlier execution.
  public boolean hasHome(String runId) {
    return Files.isDirectory(homes.resolve(runId));
  }

  /// The private folders of an isolated run, which exist then. They are deleted with its workspace.
  /// Call it between [#prepare] and [#release], or during [#prepare].
  public RunHome home(String runId, Environment environment) throws IOException {
    return RunHome.make(homes.resolve(runId), sharedCaches.use(runId, environment.uid()), user);
  }

  /// The size of a run's folders in bytes; 0 if there are none. While the run uses the caches of
  /// its environment, its share of their growth is included.
  public long size(String runId) throws IOException {
    return extent(runId).bytes();
  }

  /// The same as [#size], but for each file, folder and link as [Folders#chargedBytes] counts it.
  public long chargedBytes(String runId) throws IOException {
    return extent(runId).chargedBytes();
  }

  private Folders.Extent extent(String runId) throws IOException {
    var sum = sharedCaches.share(runId);
    for (var each : List.of(root(runId), homes.resolve(runId))) {
      sum = sum.plus(Files.isDirectory(each) ? Folders.extent(each) : Folders.Extent.NOTHING);
    }
    return sum;
  }

  /// Deletes the caches of environments that no run uses now.
  ///
  /// @param minBytes minimum size in bytes of the caches to delete
  /// @return whether any cache was deleted
  public boolean deleteUnusedCaches(long minBytes) throws IOException {
    return sharedCaches.deleteUnused(minBytes);
  }

  /// Marks a run's workspace as in use, and prepares it if it is not ready. Must be followed by
  /// [#release].
  ///
  /// @param skillSpecs the requested skills
  public PreparedWorkspace prepare(
      String runId, Environment environment, List<String> skillSpecs, CommandRunner commandRunner)
      throws InterruptedException {
    var activity = new String[] {"Creating the workspace"};
    try {
      awaitUnused(runId);
      var root = root(runId);
      var start = workFolder(environment, root);
      var needsNothing = environment.equals(Environment.NONE) && skillSpecs.isEmpty();
      if (Files.isDirectory(root) && (needsNothing || isReady(runId))) {
        user.admit(folder);
        user.takeOver(root);
        return new PreparedWorkspace.Ready(root, start, false, List.of());
      }
      Files.deleteIfExists(ready(runId));
      Folders.delete(root);
      Folders.delete(homes.resolve(runId));
      Folders.createPrivately(root);
      user.admit(folder);
      var sources = new ArrayList<Skills.Source>();
      for (var repository : environment.repositories()) {
        activity[0] = "Cloning " + repository.fullName();
        commandRunner.reportProgress(activity[0]);
        var target = root.resolve(repository.folder());
        cache.checkOut(repository, target, commandRunner);
        if (environment.lfs()) {
          activity[0] = "Fetching the LFS files of " + repository.fullName();
          commandRunner.reportProgress(activity[0]);
          new LargeFiles(new Git(commandRunner, environments.variableValues()))
              .fetch(repository, target);
        }
        sources.add(new Skills.Source(repository, target, "HEAD"));
      }
      var skills = new LinkedHashSet<Skill>();
      for (var spec : skillSpecs) {
        activity[0] = "Looking for the skill " + spec;
        var git = new Git(commandRunner, environments.variableValues());
        skills.add(new Skills(git).find(spec, sources));
      }
      // From here on, only the agent's account works in it.
      user.takeOver(root);
      for (var command : environment.setupCommands()) {
        activity[0] = "Setting up: " + command;
        commandRunner.reportProgress(activity[0]);
        var result = commandRunner.script(command, start);
        if (result.status() != 0) {
          return new PreparedWorkspace.Failed(
              SetupException.of("The setup command `%s` failed".formatted(command), result).why());
        }
      }
      Folders.writePrivately(ready(runId), "0");
      return new PreparedWorkspace.Ready(
          root, start, true, skills.stream().map(each -> skillFile(each, sources)).toList());
    } catch (SetupException e) {
      return new PreparedWorkspace.Failed(e.why());
    } catch (StoppedException e) {
      return e.isLate()
          ? new PreparedWorkspace.TimedOut(activity[0])
          : new PreparedWorkspace.Stopped();
    } catch (IOException e) {
      log.error("cannot create workspace run={}", runId, e);
      return new PreparedWorkspace.Failed("The workspace could not be created: " + e.getMessage());
    }
  }

  /// Restores a run's workspace from the snapshot of another node.
  ///
  /// @param maxBytes maximum size in bytes
  public Snapshots.Outcome restore(String runId, Snapshots snapshots, long maxBytes)
      throws IOException, InterruptedException {
    var staging = homes.resolve(runId + ".restoring-" + UUID.randomUUID());
    awaitUnused(runId);
    try {
      var outcome = snapshots.restore(runId, staging, root(runId), maxBytes);
      if (outcome instanceof Snapshots.Outcome.Restored restored) {
        Files.deleteIfExists(ready(runId));
        Folders.delete(root(runId));
        Folders.delete(homes.resolve(runId));
        Folders.createPrivately(folder);
        Files.move(staging.resolve("workspace"), root(runId));
        if (restored.hasSession()) {
          Folders.createPrivately(homes.resolve(runId));
          Files.move(staging.resolve("home"), homes.resolve(runId).resolve("home"));
        }
        Folders.writePrivately(ready(runId), "0");
      }
      return outcome;
    } finally {
      Folders.delete(staging);
      inUse.remove(runId);
    }
  }

  /// Saves a snapshot of a run's workspace for other nodes. No process may be running in it.
  ///
  /// @param execution 1-based number of the last execution that used it
  /// @param sessions relative paths of the agent's session in the run's home folder
  public void saveSnapshot(String runId, int execution, List<String> sessions, Snapshots snapshots)
      throws InterruptedException {
    snapshots.save(
        new Snapshots.Source(
            runId, execution, root(runId), homes.resolve(runId).resolve("home"), sessions));
  }

  /// Marks a run's workspace as not in use, and measures its size for the next cleanup.
  public void release(String runId) {
    try {
      if (isReady(runId)) {
        var extent = extent(runId);
        Folders.writePrivately(
            ready(runId), extent.bytes() + (extent.isComplete() ? "" : AND_MORE));
      }
    } catch (IOException e) {
      log.warn("cannot measure workspace run={}", runId, e);
    } finally {
      sharedCaches.release(runId);
      inUse.remove(runId);
    }
  }

  /// Records an observed push of the run. The record is kept as long as the run's workspace.
  public void recordPush(String runId, PushedBranches.Push push) {
    try {
      PushedBranches.add(push, pushes(runId));
    } catch (IOException e) {
      log.warn("cannot record push run={} branch={}", runId, push.branch(), e);
    }
  }

  /// The branch of a pull request that the run opened; empty if it only mentioned it.
  ///
  /// @param observedRepositories the URLs of the repositories whose pushes are all observed, so
  ///   that files that the agent can write do not count
  public Optional<String> pushedBranch(
      String runId,
      Environment environment,
      String pullRequest,
      Set<String> observedRepositories,
      CommandRunner commandRunner)
      throws InterruptedException {
    try {
      return new PushedBranches(
              new Git(commandRunner, environments.variableValues()),
              root(runId),
              pushes(runId),
              observedRepositories)
          .of(pullRequest, environment, folder);
    } catch (StoppedException e) {
      return Optional.empty();
    }
  }

  /// Deletes workspaces that were unused for `keep`, then the least recently used ones until the
  /// rest is at most `maxBytes`. Also deletes the caches that are to be forgotten.
  ///
  /// @param isNeeded whether a run that is not executing will soon need its workspace
  public void clean(Instant now, Duration keep, long maxBytes, Predicate<String> isNeeded)
      throws IOException {
    sharedCaches.deleteForgotten();
    if (!Files.isDirectory(folder)) {
      return;
    }
    deleteTrash();
    var all = byLastUse();
    var bytes = all.stream().mapToLong(StoredWorkspace::bytes).sum();
    for (var each : all) {
      var isOld = each.usedAt().isBefore(now.minus(keep));
      try {
        if ((isOld || bytes > maxBytes)
            && !isNeeded.test(each.runId())
            && deleteIfUnused(each.runId())) {
          bytes -= each.bytes();
          log.info(
              "workspace deleted run={} why={} bytes={}",
              each.runId(),
              isOld ? "old" : "disk",
              each.bytes());
        }
      } catch (IOException e) {
        log.warn("cannot delete workspace, will retry run={}", each.runId(), e);
      }
    }
    deleteTrash();
  }

  /// The biggest workspace, if there is any. One that cannot be measured completely counts as the
  /// biggest, so that no other is deleted because of its hidden files.
  public Optional<Size> biggest() throws IOException {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    deleteTrash();
    var sizes = new ArrayList<Size>();
    for (var runId : runs()) {
      var extent = inUse.contains(runId) ? extent(runId) : storedExtent(runId);
      sizes.add(new Size(runId, extent.bytes(), extent.isComplete()));
    }
    return sizes.stream()
        .max(
            Comparator.comparing((Size each) -> !each.isComplete()).thenComparingLong(Size::bytes));
  }

  /// Deletes a workspace unless it is in use.
  public void deleteUnused(String runId) throws IOException {
    if (deleteIfUnused(runId)) {
      deleteTrash();
    }
  }

  /// Deletes a workspace on behalf of the run that uses it; no process may be running in it.
  public void delete(String runId) throws IOException {
    Files.deleteIfExists(ready(runId));
    Files.deleteIfExists(pushes(runId));
    Folders.delete(root(runId));
    Folders.delete(homes.resolve(runId));
    // Other runs of the environment can fill them again.
    sharedCaches.deleteGrownBy(runId);
  }

  /// Deletes a workspace that is out of date; waits while an execution uses it.
  public void deleteOutdated(String runId) throws IOException, InterruptedException {
    if (!Files.isDirectory(root(runId))) {
      return;
    }
    awaitUnused(runId);
    try {
      deleteAndRelease(runId);
    } catch (NoSuchFileException _) {
      // A cleanup has deleted it.
    }
    deleteTrash();
  }

  /// Deletes cached clones of repositories that no environment uses any more.
  public void deleteUnusedClones() throws IOException {
    cache.keepOnly(
        environments.all().stream().flatMap(each -> each.repositories().stream()).toList());
  }

  /// The skills in an environment's repositories.
  ///
  /// @param refresh whether to fetch from the servers; otherwise only repositories without a clone
  ///   are fetched
  /// @throws IllegalStateException with git's error output if a repository cannot be fetched
  public List<Skill> skills(Environment environment, boolean refresh, CommandRunner commandRunner)
      throws StoppedException, InterruptedException {
    var found = new ArrayList<Skill>();
    var skills = new Skills(new Git(commandRunner, environments.variableValues()));
    for (var repository : environment.repositories()) {
      try {
        var existing = refresh ? Optional.<Path>empty() : cache.existing(repository);
        var mirror =
            existing.isPresent() ? existing.get() : cache.update(repository, commandRunner);
        found.addAll(
            skills.in(new Skills.Source(repository, mirror, repository.ref().orElse("HEAD"))));
      } catch (SetupException e) {
        throw new IllegalStateException(e.why(), e);
      } catch (IOException e) {
        throw new IllegalStateException("The clone cache cannot be used", e);
      }
    }
    return found;
  }

  private static PreparedWorkspace.SkillFile skillFile(Skill skill, List<Skills.Source> sources) {
    var home =
        sources.stream()
            .filter(source -> source.repository().fullName().equals(skill.repository()))
            .findFirst()
            .orElseThrow();
    return new PreparedWorkspace.SkillFile(skill, home.folder().resolve(skill.path()));
  }

  /// The working directory of an agent: the only repository, else the run's folder.
  public static Path workFolder(Environment environment, Path root) {
    return environment.repositories().size() == 1
        ? root.resolve(environment.repositories().getFirst().folder())
        : root;
  }

  private List<StoredWorkspace> byLastUse() throws IOException {
    var all = new ArrayList<StoredWorkspace>();
    for (var runId : runs()) {
      var file = isReady(runId) ? ready(runId) : root(runId);
      all.add(
          new StoredWorkspace(
              runId, Files.getLastModifiedTime(file).toInstant(), storedExtent(runId).bytes()));
    }
    all.sort(Comparator.comparing(StoredWorkspace::usedAt));
    return all;
  }

  /// Ids of the runs that have a workspace.
  private List<String> runs() throws IOException {
    try (var folders = Files.list(folder)) {
      return folders
          .filter(Files::isDirectory)
          .map(each -> each.getFileName().toString())
          .filter(name -> !name.endsWith(TRASH))
          .toList();
    }
  }

  private Folders.Extent storedExtent(String runId) throws IOException {
    if (!isReady(runId)) {
      return extent(runId);
    }
    try {
      var text = Files.readString(ready(runId)).strip();
      var isComplete = !text.endsWith(AND_MORE);
      return new Folders.Extent(Long.parseLong(text.replace(AND_MORE, "")), 0, isComplete);
    } catch (NumberFormatException _) {
      return extent(runId);
    }
  }

  private boolean deleteIfUnused(String runId) throws IOException {
    if (!inUse.add(runId)) {
      return false;
    }
    deleteAndRelease(runId);
    return true;
  }

  /// Marks the workspace as in use, once nobody uses it. A cleanup marks it only for the duration
  /// of a rename.
  private void awaitUnused(String runId) throws InterruptedException {
    while (!inUse.add(runId)) {
      Thread.sleep(5);
    }
  }

  private void deleteAndRelease(String runId) throws IOException {
    try {
      if (Files.isDirectory(homes.resolve(runId))) {
        Files.move(
            homes.resolve(runId),
            // Not beside the workspaces, which may be on another disk.
            homes.resolve(runId + ".home" + TRASH),
            StandardCopyOption.ATOMIC_MOVE);
      }
      Files.move(root(runId), folder.resolve(runId + TRASH), StandardCopyOption.ATOMIC_MOVE);
      Files.deleteIfExists(ready(runId));
      Files.deleteIfExists(pushes(runId));
    } finally {
      inUse.remove(runId);
    }
  }

  private void deleteTrash() throws IOException {
    deleteTrash(folder);
    if (Files.isDirectory(homes)) {
      deleteTrash(homes);
    }
  }

  private static void deleteTrash(Path parent) throws IOException {
    try (var folders = Files.list(parent)) {
      for (var each : folders.filter(path -> path.toString().endsWith(TRASH)).toList()) {
        try {
          Folders.delete(each);
        } catch (IOException e) {
          log.warn("cannot delete workspace, will retry folder={}", each.getFileName(), e);
        }
      }
    }
  }

  private boolean isReady(String runId) {
    return Files.exists(ready(runId));
  }

  private Path ready(String runId) {
    return folder.resolve(runId + READY);
  }

  private Path pushes(String runId) {
    return folder.resolve(runId + PUSHES);
  }
}
