package dev.runnel.core.dispatch;

import dev.runnel.core.decide.PullRequestCare;
import java.util.List;

/// How deliveries are processed, as the operator wants it.
///
/// @param sameIssue for requests about an issue that has a run already
/// @param pullRequests what runs are told about their pull requests
/// @param environments the only ones that a run can work in; empty if others may be named
public record DispatchOptions(
    SameIssue sameIssue,
    PullRequestCare pullRequests,
    List<String> environments) {
  public static final DispatchOptions USUAL =
      new DispatchOptions(SameIssue.ASK, new PullRequestCare(3), List.of());

  public DispatchOptions {
    environments = List.copyOf(environments);
  }
}
