package dev.runnel.surface.slack.receive;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.WatchedChannels;
import java.util.Optional;

/// Reads the messages of watched channels that start runs. Pure.
record SlackWatch(WatchedChannels channels, SlackPermalinks links) {
  /// A request about a message that begins a thread. Its author may be a stranger, so its text is
  /// not the request: the agent reads it among the earlier messages of the thread.
  ///
  /// @return also empty while the bot's own user is unknown, because the message could be its own
  Optional<Delivery> read(SlackEvent event, SlackEvent.Posted posted) {
    var channel = posted.channel();
    var ts = posted.message().ts();
    if (channel.isEmpty()
        || ts.isEmpty()
        || posted.message().hasInvalidThread()
        || posted.message().thread().filter(it -> !it.equals(ts.get())).isPresent()
        || event.ownUsers().isEmpty()
        || posted.message().user().filter(event.ownUsers()::contains).isPresent()) {
      return Optional.empty();
    }
    var text =
        posted.alert().or(() -> posted.isFromPerson() ? posted.message().text() : Optional.empty());
    if (text.isEmpty() || !channels.matches(channel.get(), text.get())) {
      return Optional.empty();
    }
    var requester =
        posted.alert().isPresent()
            ? Optional.of(WatchedChannels.requester(channel.get()))
            : posted.message().user().map(user -> new Actor(user, user));
    var place = new SlackPlace(event.team(), channel.get(), ts.get());
    return requester.map(
        actor ->
            event
                .delivery(
                    SlackPayloads.meaning(event.team(), channel.get(), ts.get()),
                    place,
                    actor.id(),
                    new Intent.Say(Request.of(request(place))),
                    true,
                    new Origin(
                        links.of(place, ts.get()), Optional.empty(), Optional.empty(), false))
                .withActor(actor));
  }

  private static String request(SlackPlace place) {
    return "Find out what caused what was reported here at %s, and suggest what to do. Change nothing."
        .formatted(SlackPlace.at(place.thread()));
  }
}
