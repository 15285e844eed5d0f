package dev.runnel.core.model;

import java.util.Optional;

/// The options a person may put into a prompt: `--env staging --model fast`.
public record RunOptions(
    Optional<String> profile,
    Optional<String> environment,
    Optional<String> model,
    Optional<String> skill,
    Optional<String> name,
    Optional<String> title,
    Optional<String> factory) {
  public static final RunOptions NONE =
      new RunOptions(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
}
