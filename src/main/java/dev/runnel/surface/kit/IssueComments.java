package dev.runnel.surface.kit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.PostRef;
import java.util.Optional;

/// The comments of one issue, on a tracker with numeric comment ids.
public interface IssueComments extends IssueThread {
  ApiResult edit(long comment, String text);

  ApiResult react(long comment);

  PostRef ref(long comment);

  /// The comment id in a reference made by [#ref(long)].
  Optional<Long> comment(PostRef ref);

  @Override
  default ApiResult edit(PostRef ref, String text) {
    return edit(comment(ref).orElseThrow(), text);
  }

  @Override
  default ApiResult react(PostRef ref) {
    return react(comment(ref).orElseThrow());
  }

  @Override
  default Optional<PostRef> ref(JsonNode comment) {
    return Json.id(comment, "id").map(this::ref);
  }

  @Override
  default boolean isComment(PostRef ref) {
    return comment(ref).isPresent();
  }
}
