package dev.runnel.surface.slack.post;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.surface.slack.model.SlackPlace;
import java.time.Duration;
import java.util.Optional;

/// Slack limits messages per channel, and edits and views per workspace.
public record SlackLimits(SlackAgentView agentView) implements PostingLimits {
  @Override
  public String rateLimit(Conversation conversation) {
    var place = SlackPlace.of(conversation);
    return SlackPlace.SURFACE
        + ":"
        + (place.isView() ? place.team() + "/views" : conversation.place());
  }

  /// An open stream is not edited but appended to, with a limit of its own.
  @Override
  public Optional<String> editBudget(Conversation conversation) {
    var place = SlackPlace.of(conversation);
    return agentView.isStreaming(place)
        ? Optional.empty()
        : Optional.of(SlackPlace.SURFACE + ":" + place.team());
  }

  @Override
  public Optional<Duration> statusLifetime(Conversation conversation) {
    return agentView.statusLifetime(SlackPlace.of(conversation));
  }
}
