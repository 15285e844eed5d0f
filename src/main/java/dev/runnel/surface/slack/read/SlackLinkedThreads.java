package dev.runnel.surface.slack.read;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.LinkedConversation;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.install.SlackWorkspaces;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackQuote;
import java.net.URI;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads the threads whose permalinks a request contains, within the workspace.
///
/// Neither the sender nor the readers of the run's answer may get text that they cannot read in
/// Slack: the text of a private channel goes only to runs in that channel, or in the sender's
/// direct messages.
record SlackLinkedThreads(SlackWorkspaces workspaces) {
  /// The permalinks in the sender's own text, without those in a quoted message.
  List<URI> in(Delivery delivery, String text) {
    var team = SlackPlace.of(delivery.conversation()).team();
    return SlackPermalinks.in(SlackQuote.requestOf(text), workspaces.known(team));
  }

  LinkedConversation read(Delivery delivery, Conversation audience, boolean isPublic, URI link) {
    var target = SlackPermalinks.target(link);
    if (target.isEmpty()
        || !delivery.id().surface().equals(SlackPlace.SURFACE)
        || !audience.surface().equals(SlackPlace.SURFACE)) {
      return new LinkedConversation.Withheld(link);
    }
    var request = SlackPlace.of(delivery.conversation());
    var answers = SlackPlace.of(audience);
    var workspace = workspaces.of(request.team());
    var identity = workspaces.known(request.team());
    if (identity.isEmpty()) {
      return new LinkedConversation.Unavailable(
          link, Optional.empty(), "Slack did not return the workspace of the token");
    }
    if (!request.team().equals(answers.team()) || !SlackPermalinks.isOf(link, identity)) {
      return new LinkedConversation.Withheld(link);
    }
    var thread = new SlackPlace(request.team(), target.get().channel(), target.get().thread());
    var background = new SlackBackground(workspace.api(), workspace.files(), workspace.names());
    return switch (mayRead(
            workspace.api(), identity.get(), delivery, answers, isPublic, thread.channel())
        .flatMap(
            mayRead ->
                mayRead
                    ? background.linked(
                        thread,
                        target.get().ts(),
                        before(delivery, target.get().ts()),
                        link,
                        thread.equals(answers))
                    : new SlackResponse.Ok<>(Optional.<LinkedConversation>empty()))) {
      case SlackResponse.Ok<Optional<LinkedConversation>>(var linked) ->
          linked.orElseGet(() -> new LinkedConversation.Withheld(link));
      case SlackResponse.Wait<Optional<LinkedConversation>>(var after, var why) ->
          new LinkedConversation.Unavailable(link, after, why);
      case SlackResponse.No<Optional<LinkedConversation>> _ ->
          new LinkedConversation.Withheld(link);
    };
  }

  private static SlackResponse<Boolean> mayRead(
      SlackApi api,
      SlackIdentity identity,
      Delivery delivery,
      SlackPlace answers,
      boolean isPublic,
      String channel) {
    var user = delivery.actor().id();
    var isThere = channel.equals(answers.channel());
    var wasSaidThere =
        delivery
            .origin()
            .message()
            .filter(it -> SlackPlace.Message.of(it).channel().equals(answers.channel()))
            .isPresent();
    if (isThere && wasSaidThere && !isPublic) {
      return new SlackResponse.Ok<>(true);
    }
    // A command in a direct message between people may link to the private channel where it was
    // said.
    var mayHearPrivate =
        !isPublic && (isThere || (wasSaidThere && answers.channel().startsWith("D")));
    return api.access(channel)
        .flatMap(
            access -> {
              if (!access.isJoined() || (access.isPrivate() && !mayHearPrivate)) {
                return new SlackResponse.Ok<>(false);
              }
              return access.isPrivate()
                  ? api.hasMember(channel, user)
                  : api.account(user)
                      .flatMap(
                          account ->
                              account.isFullMemberOf(identity.team())
                                  ? new SlackResponse.Ok<>(true)
                                  : api.hasMember(channel, user));
            });
  }

  /// The time of the request, which is after the linked message even if our clock is slow. Later
  /// messages are not read. A schedule repeats a request at a later time.
  private static String before(Delivery delivery, String linked) {
    return SlackPlace.timestamp(
        Stream.of(delivery.arrivedAt(), SlackPlace.at(linked).plus(1, ChronoUnit.MICROS))
            .max(Comparator.naturalOrder())
            .orElseThrow());
  }
}
