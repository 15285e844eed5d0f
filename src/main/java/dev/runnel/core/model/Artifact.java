package dev.runnel.core.model;

import java.net.URI;
import java.util.Optional;

/// Something a run created that people can open: a pull request, a plan.
///
/// @param label the display text: `acme/shop#7 (fix-checkout)`
/// @param branch the branch that the run pushed for its pull request; empty where the run may only
///   have mentioned the pull request
public record Artifact(String label, URI link, boolean pullRequest, Optional<String> branch) {
  public Artifact(String label, URI link, boolean pullRequest) {
    this(label, link, pullRequest, Optional.empty());
  }

  /// Whether the run opened it, so that comments on it are for the run.
  public boolean isItsOwnPullRequest() {
    return pullRequest && branch.isPresent();
  }
}
