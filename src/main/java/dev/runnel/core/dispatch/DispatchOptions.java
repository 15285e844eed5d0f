package dev.runnel.core.dispatch;

import dev.runnel.core.decide.PullRequestCare;
import java.util.List;

/// How deliveries are processed, as the operator wants it.
///
/// @param sameIssue for requests about an issue that has a run already
/// @param pullRequests what runs are told about their pull requests
/// @param environments the only ones that a run can work in; empty if others may be named
/// @param namesRequester whether agents are asked to name who asked for their work
public record DispatchOptions(
    SameIssue sameIssue,
    PullRequestCare pullRequests,
    List<String> environments,
    boolean namesRequester) {
  public static final DispatchOptions USUAL =
      new DispatchOptions(SameIssue.ASK, new PullRequestCare(3), List.of());

  /// Names the requester.
  public DispatchOptions(
      SameIssue sameIssue, PullRequestCare pullRequests, List<String> environments) {
    this(sameIssue, pullRequests, environments, true);
  }

  public DispatchOptions {
    environments = List.copyOf(environments);
  }
}
