package dev.runnel.surface.kit;

import dev.runnel.core.model.PostRef;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The calls that a tracker offers for one issue, as far as posting needs them. They block.
public interface IssueComments {
  /// @return `Done` with the comment, its `id` in it
  ApiResult add(String text);

  ApiResult edit(long comment, String text);

  /// A page of the comments that are as new as that or newer, in any order; the first page is 1.
  ApiResult since(Instant since, int page);

  /// How many comments a full page has.
  int pageSize();

  /// The member of a comment that holds its text.
  String textMember();

  /// Gives the comment a sign of receipt.
  ApiResult react(long comment);

  /// Puts a label on the issue and takes others off; those it does not have do no harm.
  ApiResult label(Optional<String> on, List<String> off);

  PostRef ref(long comment);

  /// The comment in a reference made by [#ref(long)].
  Optional<Long> comment(PostRef ref);
}
