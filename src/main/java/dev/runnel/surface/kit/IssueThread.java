package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.PostRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The calls for one issue that posting needs, independent of how a tracker identifies comments.
/// They block.
public interface IssueThread {
  /// @return `Done` with the comment
  ApiResult add(String text);

  ApiResult edit(PostRef comment, String text);

  /// One page of the comments created or changed since that time, in any order; the first page is
  /// 1.
  ApiResult since(Instant since, int page);

  /// The number of comments on a full page.
  int pageSize();

  /// The field of a comment that holds its text.
  String textMember();

  /// Adds a reaction to the comment as an acknowledgement.
  ApiResult react(PostRef comment);

  /// Adds one label to the issue and removes others; labels it does not have are ignored.
  ApiResult label(Optional<String> on, List<String> off);

  /// The reference of a comment returned by [#add] or [#since]; empty if it has no id.
  Optional<PostRef> ref(JsonNode comment);

  /// Whether its author may be the bot. A marker in somebody else's comment is a copy.
  default boolean mayBeOurs(JsonNode comment) {
    return true;
  }

  /// Whether the reference is to a comment, as made by [#ref(JsonNode)].
  boolean isComment(PostRef ref);
}
