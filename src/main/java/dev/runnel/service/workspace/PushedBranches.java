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
/// The server reports the head. Where the proxy adds the login, it saw what was pushed, and only
/// that counts. Elsewhere, what happened in the clone is read from git's log files there without
/// running git, because the agent controls the clone's settings, which could execute programs. An
/// agent can forge these files.
public final class PushedBranches {
  private static final Logger log = LoggerFactory.getLogger(PushedBranches.class);
  private static final long MAX_PUSHES = 4L * 1024 * 1024;

  // The agent controls what is there. It could write more than fits in memory, and make any number
  // of links to one file.
  private static final long MAX_LOG_BYTES = 16L * 1024 * 1024;
  private static final int MAX_LOGS = 10_000;
  private static final int MAX_COMMITS = 100_000;
  private static final int DEEPEST = 30;

  /// `OLD NEW who <mail> time zone<tab>commit: Fix it`
  private static final Pattern MADE =
      Pattern.compile(
          "[0-9a-f]{40,64} (?<commit>[0-9a-f]{40,64}) [^\\t]*\\t(?:commit|update by push).*");

  private static final Pattern REF =
      Pattern.compile("(?<commit>[0-9a-f]{40,64})\\t(?<ref>refs/\\S+)");
  private static final String BRANCH = "refs/heads/";

  /// A push that was seen from outside the isolation.
  public record Push(String repository, String branch, String commit) {
    private String line() {
      return String.join("\t", repository, branch, commit) + "\n";
    }
  }

  private final Git git;
  private final Path root;
  private final Path pushes;
  private final Set<String> witnessed;

  /// @param root the run's workspace
  /// @param pushes the file of the pushes that were seen, outside the agent's control
  /// @param witnessed the addresses of the repositories whose pushes are all seen
  PushedBranches(Git git, Path root, Path pushes, Set<String> witnessed) {
    this.git = git;
    this.root = root;
    this.pushes = pushes;
    this.witnessed = Set.copyOf(witnessed);
  }

  /// Adds a push to the file, unless there are too many in it.
  static void add(Push push, Path pushes) throws IOException {
    synchronized (PushedBranches.class) {
      var all = Files.exists(pushes) ? Files.readString(pushes) : "";
      if (all.length() < MAX_PUSHES) {
        Folders.writePrivately(pushes, all + push.line());
      }
    }
  }

  /// @param somewhere a folder outside the agent's control, to run git in
  /// @return the branch of a pull request that the run opened; empty for any other, or if it cannot
  ///   be determined
  Optional<String> of(String pullRequest, Environment environment, Path somewhere)
      throws StoppedException, InterruptedException {
    var address = PullRequestAddress.of(pullRequest);
    var repository =
        address.flatMap(it -> environment.repositories().stream().filter(it::isIn).findFirst());
    if (repository.isEmpty()) {
      return Optional.empty();
    }
    var ref = address.get().ref();
    return witnessed.contains(repository.get().url())
        ? seen(repository.get(), ref, somewhere)
        : logged(repository.get(), ref, somewhere);
  }

  /// The branch that was seen being pushed, if it still has the head.
  private Optional<String> seen(Repository repository, String pullRequest, Path somewhere)
      throws StoppedException, InterruptedException {
    var seen = seen(repository.url());
    if (seen.isEmpty()) {
      return Optional.empty();
    }
    var refs = refs(repository, pullRequest, somewhere);
    var head = refs.get(pullRequest);
    return seen.stream()
        .filter(each -> each.commit().equals(head))
        .filter(each -> each.commit().equals(refs.get(BRANCH + each.branch())))
        .map(Push::branch)
        .findFirst();
  }

  private List<Push> seen(String repository) {
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

  /// The branch of a head that was made or pushed in the clone, as git's log files there say.
  private Optional<String> logged(Repository repository, String pullRequest, Path somewhere)
      throws StoppedException, InterruptedException {
    var made = made(root.resolve(repository.folder()));
    if (made.isEmpty()) {
      return Optional.empty();
    }
    var refs = refs(repository, pullRequest, somewhere);
    return Optional.ofNullable(refs.get(pullRequest))
        .filter(made::contains)
        .flatMap(
            head ->
                refs.entrySet().stream()
                    .filter(each -> each.getKey().startsWith(BRANCH))
                    .filter(each -> each.getValue().equals(head))
                    .map(each -> each.getKey().substring(BRANCH.length()))
                    .min(String::compareTo));
  }

  /// The commits of the refs on the server, by ref.
  private Map<String, String> refs(Repository repository, String pullRequest, Path somewhere)
      throws StoppedException, InterruptedException {
    var listed =
        git.run(
            Optional.of(repository),
            somewhere,
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
  static Set<String> made(Path clone) {
    var commits = new HashSet<String>();
    var logs = clone.resolve(".git").resolve("logs");
    if (!Files.isDirectory(logs, LinkOption.NOFOLLOW_LINKS)) {
      return commits;
    }
    var left = MAX_LOG_BYTES;
    try (var files = Files.walk(logs, DEEPEST)) {
      for (var file : files.limit(MAX_LOGS).toList()) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > left) {
          continue;
        }
        left -= Files.size(file);
        try (var lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
          lines
              .map(MADE::matcher)
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
