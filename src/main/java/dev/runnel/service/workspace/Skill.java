package dev.runnel.service.workspace;

import java.util.Optional;

/// A skill in a repository: a `SKILL.md`.
///
/// @param name from its front matter, else its folder's name
/// @param basePrompt its text without the front matter
/// @param repository `owner/name`
/// @param path of its file within the repository
/// @param error what is wrong with it; one with an error cannot be used
public record Skill(
    String name,
    String description,
    String basePrompt,
    String repository,
    String path,
    Optional<String> error) {
  /// `owner/name:path/to/SKILL.md`, which requests may say.
  public String spec() {
    return repository + ":" + path;
  }

  /// Where its other files are, within the repository; empty for the repository itself.
  public String folder() {
    return path.contains("/") ? path.substring(0, path.lastIndexOf('/')) : "";
  }

  /// Without its text.
  @Override
  public String toString() {
    return "Skill[" + spec() + "]";
  }
}
