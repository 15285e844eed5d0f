package dev.runnel.service.isolation;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.RunHome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;

/// Isolates agents and setup commands from the machine.
public sealed interface Isolation permits Isolation.Local, Isolation.Remote {
  /// The way of a command to the network: a proxy of Runnel's.
  ///
  /// @param socket the Unix socket of the [dev.runnel.service.egress.EgressProxy]
  /// @param loopback the services of this machine that appear at their own ports, as `host:port`
  record Network(Path socket, List<String> loopback) {
    public Network {
      loopback = List.copyOf(loopback);
    }

    /// The variables by which programs find the proxy.
    ///
    /// @param variables the variables that the command gets anyway, some of which are extended
    public Map<String, String> variables(Map<String, String> variables) {
      return ProxyVariables.of(variables);
    }
  }

  /// The variables of every run, besides those that its place names.
  List<String> OF_EVERY_RUN =
      List.of(
          "HOME",
          "TMPDIR",
          "RUNNEL_RUN_ID",
          "RUNNEL_SESSION_ID",
          "RUNNEL_EXECUTION",
          "RUNNEL_CONFIG_JSON",
          "RUNNEL_SKILL_FILE",
          "RUNNEL_ARTIFACTS");

  /// Where a command runs.
  ///
  /// @param root the folder of the run, which it may write to
  /// @param folder its working directory
  /// @param environment the environment of the run, which may name a container image
  /// @param variables names of the variables that it receives in addition to those of every agent
  /// @param readable folders and files outside the root that it may read, where they exist
  /// @param home the run's own home folder, which it may write to
  /// @param network the only way to the network; empty for the machine's network, or the one that
  ///   the container runtime sets up
  record Place(
      ExecutionRequest job,
      Path root,
      Path folder,
      Environment environment,
      Set<String> variables,
      List<Path> readable,
      RunHome home,
      Optional<Network> network) {
    /// With the machine's network.
    public Place(
        ExecutionRequest job,
        Path root,
        Path folder,
        Environment environment,
        Set<String> variables,
        List<Path> readable,
        RunHome home) {
      this(job, root, folder, environment, variables, readable, home, Optional.empty());
    }

    public Place {
      variables = Set.copyOf(variables);
      readable = List.copyOf(readable);
    }

    /// The variables that a program gets whose environment is not that of this machine.
    public Set<String> names() {
      var names = new TreeSet<>(OF_EVERY_RUN);
      names.addAll(variables);
      return names;
    }

    /// Unique per execution of a run.
    String name() {
      return name(job.runId(), job.execution());
    }

    static String name(String runId, int execution) {
      return "runnel-" + runId + "-" + execution;
    }
  }

  /// Wraps the commands in another one, which runs on this machine.
  sealed interface Local extends Isolation permits None, Bubblewrap, Container {
    /// The complete command.
    List<String> wrap(List<String> command, Place place);
  }

  /// Runs the commands on other machines.
  non-sealed interface Remote extends Isolation {
    /// Returns before the program has started; what goes wrong until then is its
    /// [RunningProcess#problem].
    ///
    /// @param environment the operator's variables and those of the run, of which the program gets
    ///   those that the place names
    /// @throws IOException if the start cannot be prepared on this machine
    RunningProcess start(
        List<String> command,
        Place place,
        Map<String, String> environment,
        String input,
        RunningProcess.Sink sink)
        throws IOException;
  }

  /// Ends what survives the end of the process.
  ///
  /// @return whether nothing is left
  default boolean cleanUp(ExecutionRequest executionRequest, Map<String, String> environment) {
    return cleanUp(executionRequest.runId(), executionRequest.execution(), environment);
  }

  /// The same, for an execution that a previous process of the service left behind.
  default boolean cleanUp(String runId, int execution, Map<String, String> environment) {
    return true;
  }

  /// Ends what lost nodes left running elsewhere. Does not wait for it.
  ///
  /// @param isOver whether a claim of a run that this service knows does not hold any more
  default void sweep(BiPredicate<String, String> isOver) {}

  /// Explains, for people, why an environment cannot be used with this isolation; empty if it can.
  default Optional<String> problem(Environment environment) {
    return Optional.empty();
  }

  /// Whether runs are isolated. Isolated runs have home folders of their own.
  default boolean isOn() {
    return true;
  }

  /// The operator's variables that the wrapping program itself needs, and that the wrapped command
  /// does not receive; see [dev.runnel.service.agent.AgentEnvironment].
  default List<String> variables() {
    return List.of();
  }

  /// The files of the operator's home folder that each run gets a copy of, by their path there.
  default List<String> homeFiles() {
    return List.of();
  }

  /// The variables that point to the run's own folders.
  static Map<String, String> variables(RunHome home) {
    return Map.of("HOME", home.folder().toString(), "TMPDIR", "/tmp");
  }

  /// A description in one line, for the operator.
  String line();

  /// No isolation: agents have all permissions of Runnel's user.
  record None() implements Local {
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
          + " isolate them, or set agents.isolation. Connected to a platform, Runnel does not start"
          + " like this unless agents.isolation is none";
    }
  }
}
