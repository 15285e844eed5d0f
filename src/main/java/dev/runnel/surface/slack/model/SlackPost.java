package dev.runnel.surface.slack.model;

import com.slack.api.model.Message;
import com.slack.api.model.block.LayoutBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// A message to send.
///
/// @param text for notifications, and where blocks cannot be shown
public record SlackPost(String text, List<LayoutBlock> blocks) {
  public SlackPost {
    blocks = List.copyOf(blocks);
  }

  /// The sign by which a post is found again: the id of its first block, which Slack keeps and
  /// nobody sees.
  public record Mark(String value) {
    public static final String PREFIX = "runnel-";
    private static final String CONTENT = PREFIX + "content-";

    /// A post that says something for later readers: a request, an answer.
    public static Mark content(String id) {
      return new Mark(CONTENT + unique(id));
    }

    /// Any other post.
    public static Mark of(String id) {
      return new Mark(PREFIX + unique(id));
    }

    /// Ids of deliveries may be longer than a block's.
    private static UUID unique(String id) {
      return UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8));
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
