package dev.runnel.surface.slack.model;

import dev.runnel.core.model.conversation.Actor;
import java.util.Optional;
import java.util.Set;

/// The step of Slack's Workflow Builder that starts a run, and waits for its end. Pure.
///
/// Slack does not tell who uses a workflow, and its author chooses the inputs. So the workflows of
/// a channel are a requester of their own, whom a policy must permit.
public final class SlackStep {
  /// As in the manifest.
  public static final String CALLBACK = "start_run";

  private static final String STEP = "step:";
  private static final String WORKFLOW = "workflow";
  private static final String WORKFLOW_OF = WORKFLOW + ":";

  private SlackStep() {}

  /// The requester of runs that workflows start in the channel.
  public static Actor requester(String channel) {
    return new Actor(WORKFLOW_OF + channel, "A workflow");
  }

  public static boolean isRequester(Actor actor) {
    return actor.id().startsWith(WORKFLOW_OF);
  }

  /// The names by which a policy knows the requester; empty for others.
  public static Optional<Set<String>> names(Actor actor) {
    return isRequester(actor)
        ? Optional.of(Set.of(SlackPlace.SURFACE + ":" + WORKFLOW, actor.idOn(SlackPlace.SURFACE)))
        : Optional.empty();
  }

  /// The address of the step, which gets the end of the run; stored in
  /// [dev.runnel.core.model.conversation.Origin].
  ///
  /// @param execution Slack's id of the execution of the step
  public static String replyTo(String execution) {
    return STEP + execution;
  }

  /// The inverse of [#replyTo(String)]; empty for other addresses.
  public static Optional<String> execution(Optional<String> replyTo) {
    return replyTo.filter(it -> it.startsWith(STEP)).map(it -> it.substring(STEP.length()));
  }
}
