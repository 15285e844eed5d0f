package dev.runnel.surface.azure;

import dev.runnel.core.model.conversation.Conversation;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/// A work item: `Fabrikam Fiber#7`. Its number is unique in the organization.
///
/// @param project its name
record WorkItem(String project, int number) {
  // Also rejects names such as "..", which would change the paths built from them.
  private static final Pattern PROJECT =
      Pattern.compile(
          "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M} ._()&'-]{0,62}[\\p{L}\\p{N}\\p{M}_)-])?");
  private static final Pattern KEY = Pattern.compile("^(?<project>.+)#(?<number>[0-9]{1,9})");

  static Optional<WorkItem> of(String project, int number) {
    return PROJECT.matcher(project).matches() && number > 0
        ? Optional.of(new WorkItem(project, number))
        : Optional.empty();
  }

  /// The inverse of [#toString()], which is the conversation's key.
  static Optional<WorkItem> of(Conversation conversation) {
    var key = KEY.matcher(conversation.key());
    return key.matches()
        ? of(key.group("project"), Integer.parseInt(key.group("number")))
        : Optional.empty();
  }

  /// The project as a segment of a path.
  String projectSegment() {
    return URLEncoder.encode(project, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public String toString() {
    return project + "#" + number;
  }
}
