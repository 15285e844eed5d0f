package dev.runnel.console.access;

import dev.runnel.core.model.conversation.Conversation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The latest few answers to visitors of the console, by conversation. Kept in memory, because they
/// are for people who have the page open. Thread-safe.
final class FlashMessages {
  private static final int CONVERSATIONS = 200;
  private static final int EACH = 4;

  // Guarded by this.
  private final Map<Conversation, List<String>> texts =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Conversation, List<String>> eldest) {
          return size() > CONVERSATIONS;
        }
      };

  synchronized void add(Conversation conversation, String text) {
    var earlier = texts.getOrDefault(conversation, List.of());
    texts.put(
        conversation,
        Stream.concat(earlier.stream().skip(earlier.size() < EACH ? 0 : 1), Stream.of(text))
            .toList());
  }

  /// Oldest first.
  synchronized List<String> of(Conversation conversation) {
    return texts.getOrDefault(conversation, List.of());
  }
}
