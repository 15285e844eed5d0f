package dev.runnel.core.model.run;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;

/// The options a person may put into a prompt: `--env staging --model fast`.
///
/// @param plan whether the run first makes a plan, and waits for its approval
/// @param interrupts whether the message interrupts a working agent; never set for a start
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

  /// These options, with missing ones taken from an earlier request for the same work. `plan` and
  /// `interrupts` stay.
  ///
  /// A profile in these options replaces all earlier options, because single options would override
  /// it.
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
