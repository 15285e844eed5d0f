package dev.runnel.core.dispatch;

import dev.runnel.core.decide.PullRequestCare;
import dev.runnel.core.port.TraceRecorder;
import java.util.List;

/// How deliveries are processed, as the operator wants it.
///
/// @param sameIssue for requests about an issue that has a run already
/// @param pullRequests what runs are told about their pull requests
/// @param environments the only ones that a run can work in; empty if others may be named
/// @param namesRequester whether agents are asked to name who asked for their work
/// @param traces records the attempts
public record DispatchOptions(
    SameIssue sameIssue,
    PullRequestCare pullRequests,
    List<String> environments,
    boolean namesRequester,
    TraceRecorder traces) {
  public static final DispatchOptions USUAL =
      new DispatchOptions(SameIssue.ASK, new PullRequestCare(3), List.of());

  /// Names the requester, and records no traces.
  public DispatchOptions(
      SameIssue sameIssue, PullRequestCare pullRequests, List<String> environments) {
    this(sameIssue, pullRequests, environments, true);
  }

  /// Records no traces.
  public DispatchOptions(
      SameIssue sameIssue,
      PullRequestCare pullRequests,
      List<String> environments,
      boolean namesRequester) {
    this(sameIssue, pullRequests, environments, namesRequester, TraceRecorder.NONE);
  }

  public DispatchOptions {
    environments = List.copyOf(environments);
  }

  public DispatchOptions tracedBy(TraceRecorder recorder) {
    return new DispatchOptions(sameIssue, pullRequests, environments, namesRequester, recorder);
  }
}
