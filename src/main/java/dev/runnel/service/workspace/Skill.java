package dev.runnel.service.workspace;

import java.util.Optional;

/// A skill, defined by a `SKILL.md` in a repository.
///
/// @param name from the front matter, else the name of its folder
/// @param basePrompt the text without the front matter
/// @param repository `owner/name`
/// @param path path of the `SKILL.md` within the repository
/// @param error why it is malformed and cannot be used; empty if it is valid
public record Skill(
    String name,
    String description,
    String basePrompt,
    String repository,
    String path,
    Optional<String> error) {
  /// The form that requests can use: `owner/name:path/to/SKILL.md`.
  public String spec() {
    return repository + ":" + path;
  }

  /// The folder of the skill's files within the repository; empty for the root.
  public String folder() {
    return path.contains("/") ? path.substring(0, path.lastIndexOf('/')) : "";
  }

  /// Leaves out the text.
  @Override
  public String toString() {
    return "Skill[" + spec() + "]";
  }
}
