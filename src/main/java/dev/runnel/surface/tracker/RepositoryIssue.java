package dev.runnel.surface.tracker;

import dev.runnel.core.model.conversation.Conversation;
import java.util.Optional;
import java.util.regex.Pattern;

/// An issue or a pull request of a forge where both share one sequence of numbers: `acme/shop#7`.
///
/// @param repository owner and name
public record RepositoryIssue(String repository, int number) {
  // Also rejects names such as "..", which would change the paths built from them.
  private static final Pattern REPOSITORY =
      Pattern.compile("^[A-Za-z0-9][A-Za-z0-9_-]*/(?!\\.{1,2}$)[A-Za-z0-9._-]+");
  private static final Pattern KEY = Pattern.compile("^(?<repository>.+)#(?<number>[0-9]{1,9})");

  public static Optional<RepositoryIssue> of(String repository, int number) {
    return REPOSITORY.matcher(repository).matches() && number > 0
        ? Optional.of(new RepositoryIssue(repository, number))
        : Optional.empty();
  }

  /// The inverse of [#toString()], which is the conversation's key.
  public static Optional<RepositoryIssue> of(Conversation conversation) {
    var key = KEY.matcher(conversation.key());
    return key.matches()
        ? of(key.group("repository"), Integer.parseInt(key.group("number")))
        : Optional.empty();
  }

  public String owner() {
    return repository.substring(0, repository.indexOf('/'));
  }

  @Override
  public String toString() {
    return repository + "#" + number;
  }
}
