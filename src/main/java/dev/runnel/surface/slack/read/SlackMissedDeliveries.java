package dev.runnel.surface.slack.read;

import com.slack.api.model.Message;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackPages;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.receive.SlackPayloads;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds missed messages in the threads of the latest runs and in their channels. Missed slash
/// commands and button presses cannot be listed; Slack reported their failure to the user.
public record SlackMissedDeliveries(SlackApi api, SlackPayloads payloads, InstantSource clock) {
  private static final Logger log = LoggerFactory.getLogger(SlackMissedDeliveries.class);
  private static final int MAX_THREADS = 40;
  private static final int MAX_CHANNELS = 10;
  private static final int MAX_PAGES = 3;

  /// Errors for conversations that the bot can no longer read, which are ignored.
  private static final Set<String> UNREADABLE_ERRORS =
      Set.of("channel_not_found", "thread_not_found", "message_not_found", "not_in_channel");

  /// Slack cannot be asked now.
  private static final class SlackUnavailable extends Exception {
    private static final long serialVersionUID = 1;
    private final transient SlackResponse.Wait<?> response;

    SlackUnavailable(SlackResponse.Wait<?> response) {
      this.response = response;
    }
  }

  public MissedDeliveries since(Instant since, List<Conversation> conversations) {
    var oldest = SlackPlace.timestamp(since);
    Map<String, MissedDeliveries.ListedDelivery> listed = new LinkedHashMap<>();
    List<String> refusals = new ArrayList<>();
    var places = conversations.stream().map(SlackPlace::of).toList();
    try {
      for (var place : places.stream().filter(SlackPlace::isThread).limit(MAX_THREADS).toList()) {
        add(listed, refusals, place, oldest, api.thread(place, oldest, null));
      }
      var channels = places.stream().map(place -> place.inThread("0")).distinct();
      for (var place : channels.limit(MAX_CHANNELS).toList()) {
        add(listed, refusals, place, oldest, api.channel(place.channel(), oldest));
      }
    } catch (SlackUnavailable unavailable) {
      return new MissedDeliveries.Unknown(unavailable.response.after(), unavailable.response.why());
    }
    return listed(listed.values(), refusals);
  }

  /// Combines the results of several workspaces.
  public static MissedDeliveries merge(List<MissedDeliveries> all) {
    List<MissedDeliveries.ListedDelivery> listed = new ArrayList<>();
    List<String> refusals = new ArrayList<>();
    for (var each : all) {
      switch (each) {
        case MissedDeliveries.Listed(var deliveries, var refused, _) -> {
          listed.addAll(deliveries);
          refused.ifPresent(refusals::add);
        }
        case MissedDeliveries.Unknown unknown -> {
          return unknown;
        }
      }
    }
    return listed(listed, refusals);
  }

  private static MissedDeliveries listed(
      Collection<MissedDeliveries.ListedDelivery> all, List<String> refusals) {
    return new MissedDeliveries.Listed(
        all.stream().sorted(Comparator.comparing(MissedDeliveries.ListedDelivery::at)).toList(),
        refusals.stream().findFirst(),
        Optional.empty());
  }

  private void add(
      Map<String, MissedDeliveries.ListedDelivery> listed,
      List<String> refusals,
      SlackPlace place,
      String oldest,
      SlackPages pages)
      throws SlackUnavailable {
    for (var message : read(place, pages, refusals)) {
      var ts = message.getTs();
      if (ts != null && ts.compareTo(oldest) >= 0) {
        payloads
            .listed(place.team(), place.channel(), message, clock.instant())
            .ifPresent(
                delivery ->
                    listed.put(
                        delivery.meaning(),
                        new MissedDeliveries.ListedDelivery(delivery, SlackPlace.at(ts), true)));
      }
    }
  }

  private static List<Message> read(SlackPlace place, SlackPages pages, List<String> refusals)
      throws SlackUnavailable {
    List<Message> messages = new ArrayList<>();
    switch (pages.forEach(MAX_PAGES, messages::add)) {
      case SlackResponse.Ok<?> _ -> {}
      case SlackResponse.Wait<?> wait -> throw new SlackUnavailable(wait);
      case SlackResponse.No<?>(String error) -> {
        log.info("slack messages not listed conversation={} error={}", place.conversation(), error);
        if (!UNREADABLE_ERRORS.contains(error)) {
          refusals.add("Slack refuses to list messages (" + error + ")");
        }
      }
    }
    return messages;
  }
}
