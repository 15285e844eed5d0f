package dev.runnel.service.isolation;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What keeps agents and setup commands apart from the machine: a command put before theirs.
public sealed interface Isolation permits Isolation.None, Bubblewrap, Container {
  /// Where a command is to run.
  ///
  /// @param root all that it may write to
  /// @param folder where it starts
  /// @param image of its environment
  /// @param variables the names that it may see beside those that every agent sees
  /// @param others folders and files beside the root that it may read and write, where they exist
  /// @param home the home folder, for a known agent that has its logins there
  record Place(
      ExecutionRequest job,
      Path root,
      Path folder,
      Optional<String> image,
      Set<String> variables,
      List<Path> others,
      Optional<Path> home) {
    public Place {
      variables = Set.copyOf(variables);
      others = List.copyOf(others);
    }

    /// One a run and execution.
    String name() {
      return name(job.runId(), job.execution());
    }

    static String name(String runId, int execution) {
      return "runnel-" + runId + "-" + execution;
    }
  }

  /// The whole command.
  List<String> wrap(List<String> command, Place place);

  /// Ends what the end of the process does not end.
  default void cleanUp(ExecutionRequest executionRequest, Map<String, String> environment) {
    cleanUp(executionRequest.runId(), executionRequest.execution(), environment);
  }

  /// The same, for what an earlier life of the service left.
  default void cleanUp(String runId, int execution, Map<String, String> environment) {}

  /// What an environment lacks to be used with this; for people.
  default Optional<String> problem(Environment environment) {
    return Optional.empty();
  }

  default boolean isOn() {
    return true;
  }

  /// The operator's variables that its own program needs, and that the command behind it does not
  /// see; see [dev.runnel.service.agent.AgentEnvironment].
  default List<String> variables() {
    return List.of();
  }

  /// A line for the operator.
  String line();

  /// Agents do as they please, as the user that Runnel runs as.
  record None() implements Isolation {
    @Override
    public List<String> wrap(List<String> command, Place place) {
      return command;
    }

    @Override
    public boolean isOn() {
      return false;
    }

    @Override
    public String line() {
      return "none: agents can read and change all that Runnel's user can. Install bubblewrap to"
          + " wall them in, or set agents.isolation";
    }
  }
}
