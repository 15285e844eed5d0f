package dev.runnel.surface.slack.api;

import com.slack.api.model.Message;
import com.slack.api.model.ResponseMetadata;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads a page of messages, from a cursor; null for the first.
@FunctionalInterface
public interface SlackPages {
  SlackResponse<Page> read(@Nullable String cursor);

  /// @param next where the next page begins; empty at the end
  record Page(List<Message> messages, Optional<String> next) {
    static Page of(@Nullable List<Message> messages, @Nullable ResponseMetadata metadata) {
      return new Page(
          messages == null ? List.of() : messages,
          Optional.ofNullable(metadata)
              .flatMap(it -> Optional.ofNullable(it.getNextCursor()))
              .filter(it -> !it.isEmpty()));
    }
  }
}
