package dev.runnel.service.workspace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides whether a run opened a pull request or only mentioned it. A run opened it if it is in a
/// repository of the run's environment, and its head is a branch of that repository that ends in a
/// commit made or pushed in the run's clone.
///
/// The server reports the head. What happened in the clone is read from git's log files there
/// without running git, because the agent controls the clone's settings, which could execute
/// programs.
final class PushedBranches {
  private static final Logger log = LoggerFactory.getLogger(PushedBranches.class);
  private static final long MAX_LOG = 4L * 1024 * 1024;

  // The agent controls what is there, and could write more than fits in memory.
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

  private final Git git;

  PushedBranches(Git git) {
    this.git = git;
  }

  /// @param root the run's workspace
  /// @param somewhere a folder outside the agent's control, to run git in
  /// @return the branch of a pull request that the run opened; empty for any other, or if it cannot
  ///   be determined
  Optional<String> of(String pullRequest, Environment environment, Path root, Path somewhere)
      throws StoppedException, InterruptedException {
    var address = PullRequestAddress.of(pullRequest);
    var repository =
        address.flatMap(it -> environment.repositories().stream().filter(it::isIn).findFirst());
    if (repository.isEmpty()) {
      return Optional.empty();
    }
    var made = made(root.resolve(repository.get().folder()));
    if (made.isEmpty()) {
      return Optional.empty();
    }
    var refs = refs(repository.get(), address.get().ref(), somewhere);
    return Optional.ofNullable(refs.get(address.get().ref()))
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
    try (var files = Files.walk(logs, DEEPEST)) {
      for (var file : files.limit(MAX_LOGS).filter(PushedBranches::isReadable).toList()) {
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

  private static boolean isReadable(Path file) {
    try {
      return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) <= MAX_LOG;
    } catch (IOException e) {
      return false;
    }
  }
}
