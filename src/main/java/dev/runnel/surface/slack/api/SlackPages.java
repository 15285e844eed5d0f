package dev.runnel.surface.slack.api;

import com.slack.api.model.Message;
import com.slack.api.model.ResponseMetadata;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads one page of messages, starting at a cursor; null for the first page.
@FunctionalInterface
public interface SlackPages {
  SlackResponse<Page> read(@Nullable String cursor);

  /// @param next the cursor of the next page; empty on the last page
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
