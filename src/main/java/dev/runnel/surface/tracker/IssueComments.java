package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/// The calls that posting on an issue needs. They block. The defaults are for trackers with numeric
/// comment ids.
///
/// @param <I> the key of an issue
public interface IssueComments<I> {
  /// `acme/shop#7/1234`
  Pattern REF = Pattern.compile("^.+/(?<id>[0-9]{1,18})");

  /// @return `Done` with the comment
  ApiResult add(I issue, String text);

  ApiResult edit(I issue, PostRef comment, String text);

  /// One page of the comments created or changed since that time, in any order, each with its text
  /// in the field `body`; the first page is 1.
  ApiResult since(I issue, Instant since, int page);

  /// The number of comments on a full page; by default the list has one page only.
  default int pageSize() {
    return Integer.MAX_VALUE;
  }

  /// Adds a reaction to the comment as an acknowledgement.
  ApiResult react(I issue, PostRef comment);

  /// Adds one label to the issue and removes others; labels it does not have are ignored.
  ApiResult label(I issue, Optional<String> on, List<String> off);

  /// Whether its author may be the bot. A marker in somebody else's comment is a copy.
  boolean mayBeOurs(JsonNode comment);

  /// The reference of a comment returned by [#add] or [#since]; empty if it has no id.
  default Optional<PostRef> ref(I issue, JsonNode comment) {
    return Json.id(comment, "id").map(id -> ref(issue, id));
  }

  /// Whether the reference is to a comment, as made by [#ref(Object, JsonNode)].
  default boolean isComment(PostRef ref) {
    return REF.matcher(ref.value()).matches();
  }

  /// @param issue its key, as in the conversation
  static PostRef ref(Object issue, long comment) {
    return new PostRef(issue + "/" + comment);
  }

  /// The id in a reference made by [#ref(Object, long)].
  static long id(PostRef ref) {
    var form = REF.matcher(ref.value());
    if (!form.matches()) {
      throw new IllegalArgumentException(ref + " is not a comment");
    }
    return Long.parseLong(form.group("id"));
  }

  /// Implements [#label] for trackers that change labels one by one.
  ///
  /// @param now the issue's labels
  /// @param remove removes one of them
  /// @param add adds a label by name
  static ApiResult relabel(
      ApiResult now,
      Optional<String> on,
      List<String> off,
      Function<JsonNode, ApiResult> remove,
      Function<String, ApiResult> add) {
    if (!(now instanceof ApiResult.Done(var labels))) {
      return now;
    }
    for (var label : labels) {
      var name = Json.text(label, "name").orElse("");
      if (off.stream().anyMatch(name::equalsIgnoreCase)) {
        var removed = remove.apply(label);
        // A label that somebody else has removed is gone.
        if (removed instanceof ApiResult.Busy || removed instanceof ApiResult.Refused) {
          return removed;
        }
      }
    }
    return on.map(add).orElse(now);
  }
}
