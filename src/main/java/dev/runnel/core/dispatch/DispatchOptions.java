package dev.runnel.core.dispatch;

import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.decide.PullRequestCare;
import dev.runnel.core.port.TraceRecorder;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/// How deliveries are processed, as the operator wants it.
///
/// @param sameIssue for requests about an issue that has a run already
/// @param pullRequests what runs are told about their pull requests
/// @param environments the only ones that a run can work in; empty if others may be named
/// @param namesRequester whether agents are asked to name who asked for their work
/// @param publicWork the environments that learn nothing said in private before a request
/// @param traces records the attempts
@RecordBuilder
public record DispatchOptions(
    SameIssue sameIssue,
    PullRequestCare pullRequests,
    List<String> environments,
    boolean namesRequester,
    PublicWork publicWork,
    TraceRecorder traces)
    implements DispatchOptionsBuilder.With {
  public static final DispatchOptions USUAL =
      new DispatchOptions(
          SameIssue.ASK,
          new PullRequestCare(3),
          List.of(),
          true,
          PublicWork.NONE,
          TraceRecorder.NONE);

  public DispatchOptions {
    environments = List.copyOf(environments);
  }
}
