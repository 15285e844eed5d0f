package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.Optional;

/// Fetches the files of Git LFS, which a clone has as pointers.
record LargeFiles(Git git) {
  /// Replaces the pointers of a clone by their files, from the server of the repository only: a
  /// file of the repository may name another one. Afterwards git in the clone stores changed files
  /// as pointers, too.
  ///
  /// @param repository with an `https` URL
  /// @throws SetupException if `git-lfs` is not installed, or a file cannot be fetched
  void fetch(Repository repository, Path clone)
      throws SetupException, StoppedException, InterruptedException {
    if (git.run(clone, "lfs", "version").status() != 0) {
      throw new SetupException(
          "The environment has lfs: true, and git-lfs is not installed where Runnel runs");
    }
    var failure = "The LFS files of " + repository.fullName() + " could not be fetched";
    git.runOrFail(failure, clone, "config", "filter.lfs.clean", "git-lfs clean -- %f");
    git.runOrFail(failure, clone, "config", "filter.lfs.smudge", "git-lfs smudge --skip -- %f");
    git.runOrFail(failure, clone, "config", "filter.lfs.process", "git-lfs filter-process --skip");
    git.runOrFail(failure, clone, "config", "filter.lfs.required", "true");
    var pull =
        git.run(
            Optional.of(repository), clone, "-c", "lfs.url=" + server(repository), "lfs", "pull");
    if (pull.status() != 0) {
      throw SetupException.of(failure, pull);
    }
  }

  private static String server(Repository repository) {
    var url = repository.url();
    while (url.endsWith("/")) {
      url = url.substring(0, url.length() - 1);
    }
    return (url.endsWith(".git") ? url : url + ".git") + "/info/lfs";
  }
}
