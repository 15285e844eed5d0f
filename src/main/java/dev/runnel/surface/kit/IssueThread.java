package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.PostRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The calls that a tracker offers for one issue, as far as posting needs them, whatever its
/// comments are called by. They block.
public interface IssueThread {
  /// @return `Done` with the comment
  ApiResult add(String text);

  ApiResult edit(PostRef comment, String text);

  /// A page of the comments that are as new as that or newer, in any order; the first page is 1.
  ApiResult since(Instant since, int page);

  /// How many comments a full page has.
  int pageSize();

  /// The member of a comment that holds its text.
  String textMember();

  /// Gives the comment a sign of receipt.
  ApiResult react(PostRef comment);

  /// Puts a label on the issue and takes others off; those it does not have do no harm.
  ApiResult label(Optional<String> on, List<String> off);

  /// Where this comment is, as [#add] or [#since] told of it; empty where they did not say.
  Optional<PostRef> ref(JsonNode comment);

  /// Whether its author may be us. A marker in somebody else's comment was copied from ours.
  default boolean mayBeOurs(JsonNode comment) {
    return true;
  }

  /// Whether the reference is to a comment, made by [#ref(JsonNode)].
  boolean isComment(PostRef ref);
}
