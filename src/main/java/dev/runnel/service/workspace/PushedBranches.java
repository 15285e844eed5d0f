package dev.runnel.service.workspace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides whether a run opened a pull request or only mentioned it. A run opened it if it is in a
/// repository of the run's environment, and its head is a branch of that repository that ends in a
/// commit that the run made or pushed.
///
/// The server reports the head. If the proxy adds the credentials for the repository, it has
/// observed the pushes, and only those count. Otherwise, the commits are read from git's log files
/// in the clone, without running git, because the agent controls the clone's settings, which could
/// execute programs. An agent can forge these files.
public final class PushedBranches {
  private static final Logger log = LoggerFactory.getLogger(PushedBranches.class);
  private static final long MAX_PUSHES = 4L * 1024 * 1024;

  // The agent controls these files. It could write more than fits in memory, and create any number
  // of links to one file.
  private static final long MAX_LOG_BYTES = 16L * 1024 * 1024;
  private static final int MAX_LOGS = 10_000;
  private static final int MAX_COMMITS = 100_000;
  private static final int MAX_DEPTH = 30;

  /// `OLD NEW who <mail> time zone<tab>commit: Fix it`
  private static final Pattern OWN_COMMIT =
      Pattern.compile(
          "^[0-9a-f]{40,64} (?<commit>[0-9a-f]{40,64}) [^\\t]*\\t(?:commit|update by push).*");

  private static final Pattern REF =
      Pattern.compile("^(?<commit>[0-9a-f]{40,64})\\t(?<ref>refs/\\S+)");
  private static final String BRANCH = "refs/heads/";

  /// A push that the proxy observed.
  public record Push(String repository, String branch, String commit) {
    private String line() {
      return String.join("\t", repository, branch, commit) + "\n";
    }
  }

  private final Git git;
  private final Path root;
  private final Path pushes;
  private final Set<String> observedRepositories;

  /// @param root the run's workspace
  /// @param pushes the file of observed pushes, outside the agent's control
  /// @param observedRepositories the URLs of the repositories whose pushes are all observed
  PushedBranches(Git git, Path root, Path pushes, Set<String> observedRepositories) {
    this.git = git;
    this.root = root;
    this.pushes = pushes;
    this.observedRepositories = Set.copyOf(observedRepositories);
  }

  /// Appends a push to the file, unless the file is too large.
  static void add(Push push, Path pushes) throws IOException {
    synchronized (PushedBranches.class) {
      var all = Files.exists(pushes) ? Files.readString(pushes) : "";
      if (all.length() < MAX_PUSHES) {
        Folders.writePrivately(pushes, all + push.line());
      }
    }
  }

  /// @param folder a folder outside the agent's control, to run git in
  /// @return the branch of a pull request that the run opened; empty for any other, or if it cannot
  ///   be determined
  Optional<String> of(String pullRequest, Environment environment, Path folder)
      throws StoppedException, InterruptedException {
    var address = PullRequestAddress.of(pullRequest);
    var repository =
        address.flatMap(it -> environment.repositories().stream().filter(it::isIn).findFirst());
    if (repository.isEmpty()) {
      return Optional.empty();
    }
    var ref = address.get().ref();
    return observedRepositories.contains(repository.get().url())
        ? observed(repository.get(), ref, folder)
        : fromLogFiles(repository.get(), ref, folder);
  }

  /// The observed branch whose commit is the head of the pull request, on the server, too.
  private Optional<String> observed(Repository repository, String pullRequest, Path folder)
      throws StoppedException, InterruptedException {
    var pushed = observed(repository.url());
    if (pushed.isEmpty()) {
      return Optional.empty();
    }
    var refs = refs(repository, pullRequest, folder);
    var head = refs.get(pullRequest);
    return pushed.stream()
        .filter(each -> each.commit().equals(head))
        .filter(each -> each.commit().equals(refs.get(BRANCH + each.branch())))
        .map(Push::branch)
        .findFirst();
  }

  private List<Push> observed(String repository) {
    try (var lines = Files.lines(pushes)) {
      return lines
          .map(line -> line.split("\t", -1))
          .filter(parts -> parts.length == 3 && parts[0].equals(repository))
          .map(parts -> new Push(parts[0], parts[1], parts[2]))
          .toList();
    } catch (NoSuchFileException _) {
      return List.of();
    } catch (IOException | UncheckedIOException e) {
      log.warn("cannot read pushes file={} why={}", pushes.getFileName(), e.toString());
      return List.of();
    }
  }

  /// The branch whose commit is the head of the pull request, if git's log files say that it was
  /// made or pushed in the clone.
  private Optional<String> fromLogFiles(Repository repository, String pullRequest, Path folder)
      throws StoppedException, InterruptedException {
    var commits = commitsOf(root.resolve(repository.folder()));
    if (commits.isEmpty()) {
      return Optional.empty();
    }
    var refs = refs(repository, pullRequest, folder);
    return Optional.ofNullable(refs.get(pullRequest))
        .filter(commits::contains)
        .flatMap(
            head ->
                refs.entrySet().stream()
                    .filter(each -> each.getKey().startsWith(BRANCH))
                    .filter(each -> each.getValue().equals(head))
                    .map(each -> each.getKey().substring(BRANCH.length()))
                    .min(String::compareTo));
  }

  /// The commits of the refs on the server, by ref.
  private Map<String, String> refs(Repository repository, String pullRequest, Path folder)
      throws StoppedException, InterruptedException {
    var listed =
        git.run(
            Optional.of(repository),
            folder,
            "ls-remote",
            "--",
            repository.url(),
            BRANCH + "*",
            pullRequest);
    var refs = new HashMap<String, String>();
    if (listed.status() == 0) {
      listed
          .output()
          .lines()
          .map(REF::matcher)
          .filter(it -> it.matches())
          .forEach(it -> refs.put(it.group("ref"), it.group("commit")));
    }
    return refs;
  }

  /// The commits that were made or pushed in a clone.
  static Set<String> commitsOf(Path clone) {
    var commits = new HashSet<String>();
    var logs = clone.resolve(".git").resolve("logs");
    if (!Files.isDirectory(logs, LinkOption.NOFOLLOW_LINKS)) {
      return commits;
    }
    var remainingBytes = MAX_LOG_BYTES;
    try (var files = Files.walk(logs, MAX_DEPTH)) {
      for (var file : files.limit(MAX_LOGS).toList()) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
            || Files.size(file) > remainingBytes) {
          continue;
        }
        remainingBytes -= Files.size(file);
        try (var lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
          lines
              .map(OWN_COMMIT::matcher)
              .filter(it -> it.matches())
              .limit(MAX_COMMITS - commits.size())
              .forEach(it -> commits.add(it.group("commit")));
        }
      }
    } catch (IOException | UncheckedIOException e) {
      log.warn("cannot read git's log files folder={} why={}", clone.getFileName(), e.toString());
    }
    return commits;
  }
}
