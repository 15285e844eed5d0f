package dev.runnel.surface.slack.receive;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPlace;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Finds what a Slack permalink points to: `https://acme.slack.com/archives/C1/p1700000000000100`.
public final class SlackLinks {
  private static final Pattern MESSAGE =
      Pattern.compile(
          "/archives/(?<channel>[A-Z0-9]{2,20})/p(?<seconds>\\d{10})(?<fraction>\\d{6})/?");
  private static final Pattern THREAD =
      Pattern.compile("(?:^|&)thread_ts=(?<ts>\\d{10}\\.\\d{6})(?:&|$)");
  private static final String SLACK = ".slack.com";

  private SlackLinks() {}

  /// @param from provides the workspace, because a permalink names none
  public static Optional<LinkTarget> shown(
      URI link, Conversation from, Optional<SlackIdentity> identity) {
    var path = MESSAGE.matcher(Optional.ofNullable(link.getPath()).orElse(""));
    var team =
        from.surface().equals(SlackPlace.SURFACE)
            ? Optional.of(SlackPlace.of(from).team())
            : identity.map(SlackIdentity::team);
    if (!isSlack(link, identity) || !path.matches() || team.isEmpty()) {
      return Optional.empty();
    }
    var ts = path.group("seconds") + "." + path.group("fraction");
    var thread = THREAD.matcher(Optional.ofNullable(link.getQuery()).orElse(""));
    var channel = path.group("channel");
    return Optional.of(
        new LinkTarget(
            new SlackPlace(team.get(), channel, thread.find() ? thread.group("ts") : ts)
                .conversation(),
            Optional.of(SlackPayloads.meaning(team.get(), channel, ts))));
  }

  private static boolean isSlack(URI link, Optional<SlackIdentity> identity) {
    var host = Optional.ofNullable(link.getHost()).orElse("").toLowerCase(Locale.ROOT);
    return host.endsWith(SLACK)
        || identity
            .flatMap(SlackIdentity::workspace)
            .filter(workspace -> host.equals(workspace.getHost()))
            .isPresent();
  }
}
