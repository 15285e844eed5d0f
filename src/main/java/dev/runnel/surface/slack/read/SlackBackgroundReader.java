package dev.runnel.surface.slack.read;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.LinkedConversation;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.install.SlackWorkspaces;
import dev.runnel.surface.slack.model.SharedFile;
import dev.runnel.surface.slack.model.SlackPlace;
import java.net.URI;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/// Selects the background for the agent: the thread, the last messages of a channel, the request's
/// files, or the channel that the user has open beside a direct thread.
///
/// @param context the number of a channel's last messages that a start gets, by channel id
/// @param openChannels the channel that a user of a team has open, if known
public record SlackBackgroundReader(
    SlackWorkspaces workspaces,
    Map<String, Integer> context,
    BiFunction<String, String, Optional<String>> openChannels)
    implements BackgroundReader {
  @Override
  public Background read(Delivery delivery) {
    var place = SlackPlace.of(delivery.conversation());
    var background = of(delivery, place);
    return place.isDirect()
        ? openChannels
            .apply(place.team(), delivery.actor().id())
            .map(it -> background(place).beside(background, it))
            .orElse(background)
        : background;
  }

  /// Asks Slack each time, because a channel can become private.
  @Override
  public boolean isPrivate(Delivery delivery) {
    var place = SlackPlace.of(delivery.conversation());
    return place.isDirect()
        || switch (workspaces.of(place.team()).api().access(place.channel())) {
          case SlackResponse.Ok<SlackApi.ChannelAccess>(var access) -> access.isPrivate();
          case SlackResponse.No<SlackApi.ChannelAccess> _ -> true;
          case SlackResponse.Wait<SlackApi.ChannelAccess>(var after, var why) ->
              throw new BackgroundUnavailable(why, after, new IllegalStateException(why));
        };
  }

  @Override
  public List<URI> links(Delivery delivery, String text) {
    return new SlackLinkedThreads(workspaces).in(delivery, text);
  }

  @Override
  public LinkedConversation linked(
      Delivery delivery, Conversation audience, boolean isPublic, URI link) {
    return new SlackLinkedThreads(workspaces).read(delivery, audience, isPublic, link);
  }

  @Override
  public boolean hasFiles(Delivery delivery) {
    return delivery.origin().message().isPresent()
        && delivery.intent().agentRequest().filter(SharedFile::areNamedIn).isPresent();
  }

  @Override
  public ReplyFiles files(Delivery delivery) {
    var place = SlackPlace.of(delivery.conversation());
    return delivery
        .origin()
        .message()
        .filter(_ -> hasFiles(delivery) && place.isThread())
        .map(it -> background(place).ofReply(place, SlackPlace.Message.of(it).ts()))
        .orElse(ReplyFiles.NONE);
  }

  private Background of(Delivery delivery, SlackPlace place) {
    var message = delivery.origin().message().map(SlackPlace.Message::of);
    var hasFiles = hasFiles(delivery);
    if (!place.isThread()
        || delivery.intent() instanceof Intent.Start
        || message.filter(it -> it.ts().equals(place.thread())).isPresent()) {
      var most = place.isThread() ? context.getOrDefault(place.channel(), 0) : 0;
      if (most > 0) {
        return background(place)
            .ofChannel(place, most, message.filter(_ -> hasFiles).map(SlackPlace.Message::ts));
      }
      return hasFiles && place.isThread()
          ? background(place).ofRequest(place, message.get().ts())
          : Background.NONE;
    }
    return background(place)
        .of(
            place,
            message
                .map(SlackPlace.Message::ts)
                .orElseGet(() -> later(place.thread(), delivery.arrivedAt())),
            hasFiles,
            delivery.origin().link());
  }

  /// The time of the request, which is after the first message even if our clock is slow.
  private static String later(String first, Instant request) {
    return SlackPlace.timestamp(
        Stream.of(SlackPlace.at(first).plusSeconds(1), request)
            .max(Comparator.naturalOrder())
            .orElseThrow());
  }

  private SlackBackground background(SlackPlace place) {
    var here = workspaces.of(place.team());
    return new SlackBackground(here.api(), here.files(), here.names());
  }
}
