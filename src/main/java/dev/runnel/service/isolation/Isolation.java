package dev.runnel.service.isolation;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.AgentUser;
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
import java.util.stream.Stream;

/// Isolates agents and setup commands from the machine.
public sealed interface Isolation permits Isolation.Local, Isolation.Remote {
  /// The network of an isolated command: a proxy of Runnel.
  ///
  /// @param socket the Unix socket of the [dev.runnel.service.egress.EgressProxy]
  /// @param loopback the services of this machine that are available at their own ports, as
  ///   `host:port`
  record Network(Path socket, List<String> loopback) {
    public Network {
      loopback = List.copyOf(loopback);
    }

    /// The variables that configure the proxy for programs.
    ///
    /// @param variables the other variables of the command, some of which are extended
    public Map<String, String> variables(Map<String, String> variables) {
      return ProxyVariables.of(variables);
    }
  }

  /// The names of the variables that every run receives.
  List<String> COMMON_VARIABLES =
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
  /// @param network the proxy, as the only access to the network; empty for the machine's network,
  ///   or the one that the container runtime sets up
  /// @param speaksAlone whether what the command starts must not open its input and output by path:
  ///   so if it speaks a protocol
  record Place(
      ExecutionRequest request,
      Path root,
      Path folder,
      Environment environment,
      Set<String> variables,
      List<Path> readable,
      RunHome home,
      Optional<Network> network,
      boolean speaksAlone) {
    /// A place whose output is that of all that the command starts.
    public Place(
        ExecutionRequest request,
        Path root,
        Path folder,
        Environment environment,
        Set<String> variables,
        List<Path> readable,
        RunHome home,
        Optional<Network> network) {
      this(request, root, folder, environment, variables, readable, home, network, false);
    }

    /// A place with the machine's network.
    public Place(
        ExecutionRequest request,
        Path root,
        Path folder,
        Environment environment,
        Set<String> variables,
        List<Path> readable,
        RunHome home) {
      this(request, root, folder, environment, variables, readable, home, Optional.empty());
    }

    public Place {
      variables = Set.copyOf(variables);
      readable = List.copyOf(readable);
    }

    /// The names of all variables to pass to a program that does not inherit the environment of
    /// this machine.
    public Set<String> names() {
      var names = new TreeSet<>(COMMON_VARIABLES);
      names.addAll(variables);
      return names;
    }

    /// A name that is unique per execution.
    String name() {
      return name(request.runId(), request.execution());
    }

    static String name(String runId, int execution) {
      return "runnel-" + runId + "-" + execution;
    }
  }

  /// Runs commands on this machine, wrapped in another command.
  sealed interface Local extends Isolation permits None, Bubblewrap, Container {
    /// The complete command.
    List<String> wrap(List<String> command, Place place);

    /// Whether only a socket keeps what a command starts from its input and output. If agents have
    /// another account than this process, its pipes do, too.
    default boolean needsSocket() {
      return !user().isAnother();
    }
  }

  /// Runs commands on other machines.
  non-sealed interface Remote extends Isolation {
    /// Returns before the program has started. A failure to start is reported by
    /// [RunningProcess#problem].
    ///
    /// @param environment the variables of the operator and the run; the program receives those in
    ///   [Place#names]
    /// @throws IOException if the start cannot be prepared on this machine
    RunningProcess start(
        List<String> command,
        Place place,
        Map<String, String> environment,
        String input,
        RunningProcess.Sink sink)
        throws IOException;
  }

  /// Ends what may survive the end of the process, such as a container.
  ///
  /// @return whether nothing is left
  default boolean cleanUp(ExecutionRequest executionRequest, Map<String, String> environment) {
    return cleanUp(executionRequest.runId(), executionRequest.execution(), environment);
  }

  /// The same, for an execution that a previous process of the service left behind.
  default boolean cleanUp(String runId, int execution, Map<String, String> environment) {
    return true;
  }

  /// Starts to end what lost nodes left running on other machines; does not wait for it.
  ///
  /// @param isOver whether a claim (run id, claim) of a known run is no longer valid
  default void sweep(BiPredicate<String, String> isOver) {}

  /// Explains, for people, why an environment cannot be used with this isolation; empty if it can.
  default Optional<String> problem(Environment environment) {
    return Optional.empty();
  }

  /// Whether runs are isolated.
  default boolean isOn() {
    return true;
  }

  /// The account of agents and setup commands.
  default AgentUser user() {
    return AgentUser.SAME;
  }

  /// Whether runs have home folders of their own: if they are isolated, or agents have another
  /// account than this process.
  default boolean givesHomes() {
    return isOn() || user().isAnother();
  }

  /// The operator's variables that the wrapping program itself needs, and that the wrapped command
  /// does not receive; see [dev.runnel.service.agent.AgentEnvironment].
  default List<String> variables() {
    return List.of();
  }

  /// The files in the operator's home folder that are copied to each run, as relative paths.
  default List<String> homeFiles() {
    return List.of();
  }

  /// The variables that point to the run's own folders.
  default Map<String, String> variables(RunHome home) {
    return Map.of("HOME", home.folder().toString(), "TMPDIR", "/tmp");
  }

  /// A description in one line, for the operator.
  String line();

  /// No isolation: agents have all permissions of their account.
  ///
  /// @param change the command that changes to the account; empty for that of this process
  record None(AgentUser user, List<String> change) implements Local {
    public None {
      change = List.copyOf(change);
    }

    /// Agents have the account of this process.
    public None() {
      this(AgentUser.SAME, List.of());
    }

    @Override
    public List<String> wrap(List<String> command, Place place) {
      return Stream.of(AgentAccount.openInputAndOutput(user, place), change, command)
          .flatMap(List::stream)
          .toList();
    }

    @Override
    public Map<String, String> variables(RunHome home) {
      return Map.of("HOME", home.folder().toString(), "TMPDIR", home.temporary().toString());
    }

    @Override
    public boolean isOn() {
      return false;
    }

    @Override
    public String line() {
      return "none: agents can read and change all that "
          + (user.isAnother() ? "the account " + user.uid() : "Runnel's user")
          + " can. Install bubblewrap to"
          + " isolate them, or set agents.isolation. Connected to a platform, Runnel does not start"
          + " like this unless agents.isolation is none";
    }
  }
}
