package dev.runnel.core.dispatch;

import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.decide.PullRequestFollowUps;
import dev.runnel.core.port.TraceRecorder;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/// The operator's settings for the processing of deliveries.
///
/// @param sameIssue for requests about an issue that another run works on
/// @param pullRequests which events of pull requests are sent to their runs
/// @param environments the only environments that a run can have; empty if others may be named
/// @param namesRequester whether agents are instructed to name the requester of their work
/// @param publicWork the environments whose runs get no background from private conversations
/// @param traces records the attempts
@RecordBuilder
public record DispatchOptions(
    SameIssueAction sameIssue,
    PullRequestFollowUps pullRequests,
    List<String> environments,
    boolean namesRequester,
    PublicWork publicWork,
    TraceRecorder traces)
    implements DispatchOptionsBuilder.With {
  public static final DispatchOptions DEFAULT =
      new DispatchOptions(
          SameIssueAction.ASK,
          new PullRequestFollowUps(3),
          List.of(),
          true,
          PublicWork.NONE,
          TraceRecorder.NONE);

  public DispatchOptions {
    environments = List.copyOf(environments);
  }
}
