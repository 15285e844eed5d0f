package dev.runnel.core.model;

import java.net.URI;
import java.util.Optional;

/// Something a run made that people can open: a pull request, a plan.
///
/// @param label what people read: `acme/shop#7 (fix-checkout)`
/// @param branch of a pull request, what the run pushed for it; empty where the run may only have
///     mentioned it
public record Artifact(String label, URI link, boolean pullRequest, Optional<String> branch) {
  public Artifact(String label, URI link, boolean pullRequest) {
    this(label, link, pullRequest, Optional.empty());
  }

  /// Whether the run opened it, so that words on it are for the run.
  public boolean isItsOwnPullRequest() {
    return pullRequest && branch.isPresent();
  }
}
