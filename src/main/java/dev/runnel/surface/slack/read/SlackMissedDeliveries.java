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
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds messages missed since Slack last delivered, in the threads of the latest runs and in their
/// channels. Slash commands and button presses cannot be listed; Slack told their sender that they
/// failed.
public final class SlackMissedDeliveries {
  private static final Logger log = LoggerFactory.getLogger(SlackMissedDeliveries.class);
  private static final int MAX_THREADS = 40;
  private static final int MAX_CHANNELS = 10;
  private static final int MAX_PAGES = 3;

  /// Errors for conversations that the bot can no longer read, which are ignored.
  private static final Set<String> GONE =
      Set.of("channel_not_found", "thread_not_found", "message_not_found", "not_in_channel");

  private final SlackApi api;
  private final SlackPayloads payloads;
  private final InstantSource clock;

  public SlackMissedDeliveries(SlackApi api, SlackPayloads payloads, InstantSource clock) {
    this.api = api;
    this.payloads = payloads;
    this.clock = clock;
  }

  /// Slack cannot be asked now.
  private static final class Waits extends Exception {
    private static final long serialVersionUID = 1;
    private final transient SlackResponse.Wait<?> answer;

    Waits(SlackResponse.Wait<?> answer) {
      this.answer = answer;
    }
  }

  public MissedDeliveries since(Instant since, List<Conversation> conversations) {
    var oldest = SlackPlace.timestamp(since);
    Map<String, MissedDeliveries.ListedDelivery> listed = new LinkedHashMap<>();
    List<String> unread = new ArrayList<>();
    var places = conversations.stream().map(SlackPlace::of).toList();
    try {
      for (var place : places.stream().filter(SlackPlace::isThread).limit(MAX_THREADS).toList()) {
        add(listed, unread, place, oldest, api.thread(place, oldest, null));
      }
      var channels = places.stream().map(place -> place.inThread("0")).distinct();
      for (var place : channels.limit(MAX_CHANNELS).toList()) {
        add(listed, unread, place, oldest, api.channel(place.channel(), oldest));
      }
    } catch (Waits waits) {
      return new MissedDeliveries.Unknown(waits.answer.after(), waits.answer.why());
    }
    return new MissedDeliveries.Listed(
        listed.values().stream()
            .sorted(Comparator.comparing(MissedDeliveries.ListedDelivery::at))
            .toList(),
        unread.stream().findFirst());
  }

  /// Combines the results of several workspaces.
  public static MissedDeliveries together(List<MissedDeliveries> all) {
    List<MissedDeliveries.ListedDelivery> listed = new ArrayList<>();
    List<String> unread = new ArrayList<>();
    for (var each : all) {
      switch (each) {
        case MissedDeliveries.Listed(var deliveries, var refused) -> {
          listed.addAll(deliveries);
          refused.ifPresent(unread::add);
        }
        case MissedDeliveries.Unknown unknown -> {
          return unknown;
        }
      }
    }
    return new MissedDeliveries.Listed(
        listed.stream().sorted(Comparator.comparing(MissedDeliveries.ListedDelivery::at)).toList(),
        unread.stream().findFirst());
  }

  private void add(
      Map<String, MissedDeliveries.ListedDelivery> listed,
      List<String> unread,
      SlackPlace place,
      String oldest,
      SlackPages pages)
      throws Waits {
    for (var message : read(place, pages, unread)) {
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

  private static List<Message> read(SlackPlace place, SlackPages pages, List<String> unread)
      throws Waits {
    List<Message> messages = new ArrayList<>();
    switch (pages.forEach(MAX_PAGES, messages::add)) {
      case SlackResponse.Ok<?> _ -> {}
      case SlackResponse.Wait<?> wait -> throw new Waits(wait);
      case SlackResponse.No<?>(String error) -> {
        log.info("slack messages not listed conversation={} error={}", place.conversation(), error);
        if (!GONE.contains(error)) {
          unread.add("Slack does not list messages (" + error + ")");
        }
      }
    }
    return messages;
  }
}
