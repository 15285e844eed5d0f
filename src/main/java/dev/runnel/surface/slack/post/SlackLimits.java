package dev.runnel.surface.slack.post;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Duration;
import java.util.Optional;

/// Slack limits messages per channel, and edits, reactions and views per workspace.
public record SlackLimits(SlackAgentView agentView) implements PostingLimits {
  /// Slack allows about 50 in a workspace, so twenty runs can end in the same minute.
  public static final int EDITS_PER_MINUTE = 25;

  @Override
  public String rateLimit(Conversation conversation) {
    var place = SlackPlace.of(conversation);
    return SlackPlace.SURFACE
        + ":"
        + (place.isView() ? place.team() + "/views" : conversation.place());
  }

  /// A view is not edited, and an open stream is appended to, each with a limit of its own.
  @Override
  public String editLimit(Conversation conversation) {
    var place = SlackPlace.of(conversation);
    return place.isView() || agentView.isStreaming(place)
        ? rateLimit(conversation)
        : SlackPlace.SURFACE + ":" + place.team() + "/edits";
  }

  /// Edits of an open stream need none.
  @Override
  public Optional<EditBudget> editBudget(Conversation conversation) {
    var place = SlackPlace.of(conversation);
    return agentView.isStreaming(place)
        ? Optional.empty()
        : Optional.of(new EditBudget(SlackPlace.SURFACE + ":" + place.team(), EDITS_PER_MINUTE));
  }

  @Override
  public Optional<Duration> statusLifetime(Conversation conversation) {
    return agentView.statusLifetime(SlackPlace.of(conversation));
  }
}
