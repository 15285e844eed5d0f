package dev.runnel.surface.slack.model;

import com.slack.api.model.Message;
import com.slack.api.model.block.LayoutBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// A message to send.
///
/// @param text for notifications, and for clients that cannot show blocks
public record SlackPost(String text, List<LayoutBlock> blocks) {
  public SlackPost {
    blocks = List.copyOf(blocks);
  }

  /// Identifies a post so that it can be found again: the id of its first block, which Slack stores
  /// and does not show.
  public record Mark(String value) {
    public static final String PREFIX = "runnel-";
    private static final String CONTENT = PREFIX + "content-";

    /// A post with content for later readers: a request, an answer.
    public static Mark content(String id) {
      return new Mark(CONTENT + unique(id));
    }

    /// Any other post.
    public static Mark of(String id) {
      return new Mark(PREFIX + unique(id));
    }

    /// Delivery ids may be longer than a block id.
    private static UUID unique(String id) {
      return UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8));
    }

    public boolean isOn(Message message) {
      return on(message).filter(this::equals).isPresent();
    }

    public static Optional<Mark> on(Message message) {
      return Optional.ofNullable(message.getBlocks()).stream()
          .flatMap(List::stream)
          .flatMap(block -> Optional.ofNullable(block.getBlockId()).stream())
          .filter(id -> id.startsWith(PREFIX))
          .findFirst()
          .map(Mark::new);
    }

    public boolean isContent() {
      return value.startsWith(CONTENT);
    }
  }
}
