package dev.runnel.core.dispatch;

import dev.runnel.core.decide.PullRequestCare;

/// How deliveries are processed, as the operator wants it.
///
/// @param sameIssue for requests about an issue that has a run already
/// @param pullRequests what runs are told about their pull requests
public record DispatchOptions(SameIssue sameIssue, PullRequestCare pullRequests) {
  public static final DispatchOptions USUAL =
      new DispatchOptions(SameIssue.ASK, new PullRequestCare(3));
}
