package dev.runnel.core.model.run;

import java.net.URI;
import java.util.Objects;
import java.util.Optional;

/// Something a run created that people can open: a pull request, a plan.
///
/// @param label the display text: `acme/shop#7 (fix-checkout)`
/// @param branch the branch that the run pushed for its pull request; empty where the run may only
///   have mentioned the pull request
/// @param state the state of the pull request; empty if unknown
public record Artifact(
    String label,
    URI link,
    boolean pullRequest,
    Optional<String> branch,
    Optional<PullRequestState> state) {
  public Artifact {
    // Rows of an older version have none.
    state = Objects.requireNonNullElse(state, Optional.empty());
  }

  public Artifact(String label, URI link, boolean pullRequest, Optional<String> branch) {
    this(label, link, pullRequest, branch, Optional.empty());
  }

  public Artifact(String label, URI link, boolean pullRequest) {
    this(label, link, pullRequest, Optional.empty());
  }

  /// A copy with the state of the pull request.
  public Artifact in(PullRequestState now) {
    return new Artifact(label, link, pullRequest, branch, Optional.of(now));
  }

  /// Whether the run opened it, so that comments on it are for the run.
  public boolean isItsOwnPullRequest() {
    return pullRequest && branch.isPresent();
  }
}
