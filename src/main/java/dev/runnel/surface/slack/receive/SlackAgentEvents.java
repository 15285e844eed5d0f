package dev.runnel.surface.slack.receive;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.surface.slack.model.SlackPlace;
import java.util.Optional;

/// Reads the events of Slack's agent view, and of the assistant view before it: a user opens it,
/// switches to another channel, or presses Slack's stop button. All but the stop are optional
/// hints.
public record SlackAgentEvents(Watcher watcher) {
  /// Receives the hints; must not block.
  public interface Watcher {
    /// @param thread the thread that was opened; empty where threads are created with a message
    void opened(String team, String channel, Optional<String> thread);

    /// @param user the user who pressed Slack's stop button
    void stopped(SlackPlace place, String user);

    /// @param channel the channel the user has open; empty for none
    void channelOpened(String team, String user, Optional<String> channel);
  }

  void viewed(SlackEvent event, SlackEvent.Viewed viewed) {
    channelViewed(event, viewed.openChannel());
    viewed.opened().ifPresent(it -> watcher.opened(event.team(), it.channel(), it.thread()));
  }

  void channelViewed(SlackEvent event, SlackEvent.OpenChannel openChannel) {
    openChannel
        .user()
        .ifPresent(user -> watcher.channelOpened(event.team(), user, openChannel.channel()));
  }

  /// Stops the run in the thread, like the command `stop`.
  Optional<Delivery> stopped(SlackEvent event, SlackEvent.Stopped stopped) {
    var channel = stopped.channel();
    var thread = stopped.thread();
    var user = stopped.user();
    if (channel.isEmpty() || thread.isEmpty() || user.isEmpty()) {
      return Optional.empty();
    }
    var place = new SlackPlace(event.team(), channel.get(), thread.get());
    watcher.stopped(place, user.get());
    return Optional.of(
        event.delivery(
            "stopped:%s/%s/%s/%s"
                .formatted(event.team(), channel.get(), thread.get(), stopped.at().orElse("")),
            place,
            user.get(),
            new Intent.Cancel(Optional.empty(), Optional.empty()),
            true,
            Origin.NONE));
  }
}
