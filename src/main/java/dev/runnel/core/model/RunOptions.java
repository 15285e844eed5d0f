package dev.runnel.core.model;

import java.util.Optional;

/// The options a person may put into a prompt: `--env staging --model fast`.
///
/// @param plan whether the run makes a plan first, and waits until somebody approves it
public record RunOptions(
    Optional<String> profile,
    Optional<String> environment,
    Optional<String> model,
    Optional<String> skill,
    Optional<String> name,
    Optional<String> title,
    Optional<String> factory,
    boolean plan) {
  public static final RunOptions NONE =
      new RunOptions(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /// Options without a plan.
  public RunOptions(
      Optional<String> profile,
      Optional<String> environment,
      Optional<String> model,
      Optional<String> skill,
      Optional<String> name,
      Optional<String> title,
      Optional<String> factory) {
    this(profile, environment, model, skill, name, title, factory, false);
  }

  /// The same options, with a plan first.
  public RunOptions planned() {
    return new RunOptions(profile, environment, model, skill, name, title, factory, true);
  }
}
