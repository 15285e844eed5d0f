package dev.runnel.surface.slack.receive;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import java.net.URI;
import java.util.Optional;

/// Finds what a Slack permalink points to.
public final class SlackLinks {
  private SlackLinks() {}

  /// @param from provides the workspace, because a permalink names none
  public static Optional<LinkTarget> shown(
      URI link, Conversation from, Optional<SlackIdentity> identity) {
    var team =
        from.surface().equals(SlackPlace.SURFACE)
            ? Optional.of(SlackPlace.of(from).team())
            : identity.map(SlackIdentity::team);
    if (!SlackPermalinks.isSlack(link, identity) || team.isEmpty()) {
      return Optional.empty();
    }
    return SlackPermalinks.target(link)
        .map(
            target ->
                new LinkTarget(
                    new SlackPlace(team.get(), target.channel(), target.thread()).conversation(),
                    Optional.of(SlackPayloads.meaning(team.get(), target.channel(), target.ts()))));
  }
}
