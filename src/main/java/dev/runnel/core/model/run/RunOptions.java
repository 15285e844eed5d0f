package dev.runnel.core.model.run;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;

/// The options a person may put into a prompt: `--env staging --model fast`.
///
/// @param plan whether the run makes a plan first, and waits until somebody approves it
/// @param interrupts whether the message does not wait for an agent that works; no start has it
@RecordBuilder
public record RunOptions(
    Optional<String> profile,
    Optional<String> environment,
    Optional<String> model,
    Optional<String> skill,
    Optional<String> name,
    Optional<String> title,
    Optional<String> factory,
    boolean plan,
    boolean interrupts)
    implements RunOptionsBuilder.With {
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
    this(profile, environment, model, skill, name, title, factory, false, false);
  }

  /// The same options, with a plan first.
  public RunOptions planned() {
    return withPlan(true).withInterrupts(false);
  }

  /// The options of a message that interrupts the agent.
  public static RunOptions interrupting() {
    return NONE.withInterrupts(true);
  }

  /// These options, completed by those of an earlier request for the same work. Whether there is a
  /// plan first stays.
  ///
  /// A profile that is named here replaces what was said before, because single options would win
  /// over it.
  public RunOptions completedBy(RunOptions earlier) {
    return profile.isPresent()
        ? this
        : new RunOptions(
            earlier.profile,
            environment.or(earlier::environment),
            model.or(earlier::model),
            skill.or(earlier::skill),
            name.or(earlier::name),
            title.or(earlier::title),
            factory.or(earlier::factory),
            plan,
            interrupts);
  }
}
