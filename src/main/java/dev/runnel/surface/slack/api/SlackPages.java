package dev.runnel.surface.slack.api;

import com.slack.api.model.Message;
import com.slack.api.model.ResponseMetadata;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A paginated list of messages.
@FunctionalInterface
public interface SlackPages {
  /// Reads one page.
  ///
  /// @param cursor where the page starts; null for the first page
  SlackResponse<Page> read(@Nullable String cursor);

  /// Finds the first message that matches; reads no further.
  ///
  /// @return the failure of a page that could not be read
  default SlackResponse<Optional<Message>> find(int maxPages, Predicate<Message> isWanted) {
    Optional<String> cursor = Optional.empty();
    for (var page = 0; page < maxPages; page++) {
      var response = read(cursor.orElse(null));
      if (!(response instanceof SlackResponse.Ok<Page>(Page read))) {
        return response.as();
      }
      for (var message : read.messages()) {
        if (isWanted.test(message)) {
          return new SlackResponse.Ok<>(Optional.of(message));
        }
      }
      cursor = read.next();
      if (cursor.isEmpty()) {
        break;
      }
    }
    return new SlackResponse.Ok<>(Optional.empty());
  }

  /// Passes every message to the action.
  ///
  /// @return the failure of a page that could not be read, after the messages before it
  default SlackResponse<?> forEach(int maxPages, Consumer<Message> action) {
    return find(
        maxPages,
        message -> {
          action.accept(message);
          return false;
        });
  }

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
