package dev.runnel.surface.slack;

import com.slack.api.model.Message;
import dev.runnel.core.model.Background;
import dev.runnel.core.port.BackgroundUnavailable;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// What was said in a thread before: its first message and the newest ones, as far as they fit.
final class SlackBackground {
  /// In characters, over all messages.
  private static final int BUDGET = 30_000;

  private static final int LONGEST_MESSAGE = 6_000;
  private static final int MOST_PAGES = 100;

  private final SlackApi api;
  private final SlackNames names;

  SlackBackground(SlackApi api, SlackNames names) {
    this.api = api;
    this.names = names;
  }

  /// @param before a message's timestamp: it and what came later is left out
  /// @throws BackgroundUnavailable when Slack cannot be asked now
  Background of(SlackPlace place, String before, Optional<URI> link) {
    Optional<Message> root = Optional.empty();
    Deque<Message> newest = new ArrayDeque<>();
    var size = 0;
    var omitted = 0;
    for (var message : messages(place, before)) {
      if (place.thread().equals(message.getTs())) {
        root = Optional.of(message);
        continue;
      }
      newest.add(message);
      size += length(message);
      while (size > BUDGET && newest.size() > 1) {
        size -= length(newest.remove());
        omitted++;
      }
    }
    List<Background.Said> said = new ArrayList<>();
    root.ifPresent(it -> said.add(said(it)));
    newest.forEach(it -> said.add(said(it)));
    return new Background("Slack thread", Optional.empty(), "", List.of(), link, said, omitted);
  }

  private List<Message> messages(SlackPlace place, String before) {
    List<Message> messages = new ArrayList<>();
    var pages = api.thread(place, null, before);
    Optional<String> cursor = Optional.empty();
    for (var page = 0; page < MOST_PAGES; page++) {
      switch (pages.read(cursor.orElse(null))) {
        case Answer.Ok<SlackApi.Page>(SlackApi.Page read) -> {
          read.messages().stream().filter(it -> counts(it, place, before)).forEach(messages::add);
          cursor = read.next();
        }
        case Answer.Wait<SlackApi.Page>(_, String why) ->
            throw new BackgroundUnavailable(why, new IllegalStateException(why));
        case Answer.No<SlackApi.Page>(String error) ->
            throw new BackgroundUnavailable(
                "Slack refused to show the thread: " + error, new IllegalStateException(error));
      }
      if (cursor.isEmpty()) {
        break;
      }
    }
    return messages;
  }

  /// Our own status posts say nothing new; our requests and answers do.
  private static boolean counts(Message message, SlackPlace place, String before) {
    var ts = message.getTs();
    return ts != null
        && ts.compareTo(before) < 0
        && !text(message).isBlank()
        && !"tombstone".equals(message.getSubtype())
        && (ts.equals(place.thread())
            || SlackPost.Mark.on(message).map(SlackPost.Mark::isContent).orElse(true));
  }

  private Background.Said said(Message message) {
    var text = SlackText.plain(text(message), names::of);
    return new Background.Said(
        author(message),
        SlackPlace.at(message.getTs()),
        text.length() > LONGEST_MESSAGE ? text.substring(0, LONGEST_MESSAGE) + "…" : text);
  }

  private String author(Message message) {
    return Optional.ofNullable(message.getUser())
        .map(user -> names.of(user).orElse(user))
        .or(() -> Optional.ofNullable(message.getUsername()))
        .or(
            () ->
                Optional.ofNullable(message.getBotProfile())
                    .flatMap(it -> Optional.ofNullable(it.getName())))
        .filter(it -> !it.isBlank())
        .orElse("a bot");
  }

  private static String text(Message message) {
    return Optional.ofNullable(message.getText()).orElse("");
  }

  private static int length(Message message) {
    return Math.min(text(message).length(), LONGEST_MESSAGE);
  }
}
