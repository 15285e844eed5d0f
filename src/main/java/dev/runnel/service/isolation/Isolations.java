package dev.runnel.service.isolation;

import dev.runnel.service.run.Executables;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Chooses the isolation for this machine.
public final class Isolations {
  /// The permitted values of the setting.
  public static final List<String> KINDS =
      List.of("auto", "none", "bubblewrap", "container", Isolations.KUBERNETES);

  /// Runs agents on other machines; implemented by another package.
  public static final String KUBERNETES = "kubernetes";

  private static final long TIMEOUT_SECONDS = 10;

  private Isolations() {}

  /// Chooses an isolation. For bubblewrap, checks that it works here.
  ///
  /// @param kind one of [#KINDS] but [#KUBERNETES]; `auto` selects bubblewrap if it works, else
  ///   none
  /// @throws IllegalArgumentException if the machine does not support it; the message says what to
  ///   do
  public static Isolation.Local choose(String kind, Machine machine) {
    return choose(kind, machine, false);
  }

  /// @param ownNetwork whether isolated runs have a network of their own
  public static Isolation.Local choose(String kind, Machine machine, boolean ownNetwork) {
    var environment = machine.environment();
    return switch (kind) {
      case "none" -> none(machine);
      case "auto" ->
          bubblewrap(machine)
              .filter(found -> works(found, environment, ownNetwork))
              .<Isolation.Local>map(found -> found)
              .orElseGet(() -> none(machine));
      case "bubblewrap" -> {
        var found =
            bubblewrap(machine)
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "is bubblewrap, and there is no bwrap on the PATH. Install bubblewrap,"
                                + " or choose another isolation."));
        if (ownNetwork && !works(found, environment, true) && works(found, environment, false)) {
          throw new IllegalArgumentException(
              "is bubblewrap, and bwrap cannot create a network of its own for an agent here. Allow"
                  + " that (in a container: a looser seccomp profile), or set agents.egress to"
                  + " machine to let agents share the machine's network.");
        }
        if (!works(found, environment, ownNetwork)) {
          throw new IllegalArgumentException(
              "is bubblewrap, and bwrap does not work here: this user may not create namespaces."
                  + " Allow user namespaces (in a container: a looser seccomp profile), or choose"
                  + " another isolation.");
        }
        yield found;
      }
      case "container" ->
          Executables.find("docker", environment)
              .or(() -> Executables.find("podman", environment))
              .<Isolation.Local>map(program -> new Container(program, machine))
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "is container, and there is no docker or podman on the PATH. Install one"
                              + " of them, or choose another isolation."));
      default ->
          throw new IllegalArgumentException(
              "is %s, and must be one of %s.".formatted(kind, String.join(", ", KINDS)));
    };
  }

  private static Isolation.None none(Machine machine) {
    return new Isolation.None(
        machine.user(), AgentAccount.change(machine.user(), machine.environment()));
  }

  private static Optional<Bubblewrap> bubblewrap(Machine machine) {
    var environment = machine.environment();
    var change = AgentAccount.change(machine.user(), environment);
    return Executables.find("bwrap", environment)
        .map(program -> new Bubblewrap(program, machine, change))
        .map(found -> change.isEmpty() ? found : withOwnUsers(found, machine));
  }

  /// With a user namespace for each run, if the other account may create it: otherwise runs share
  /// the limit of processes, and the kernel's keys of the account.
  private static Bubblewrap withOwnUsers(Bubblewrap found, Machine machine) {
    return Executables.find("unshare", machine.environment())
        .map(
            unshare ->
                Stream.concat(
                        found.change().stream(),
                        Stream.of(unshare.toString(), "--user", "--map-current-user", "--"))
                    .toList())
        .map(change -> new Bubblewrap(found.program(), machine, change))
        .filter(own -> works(own, machine.environment(), false))
        .orElse(found);
  }

  private static boolean works(
      Bubblewrap found, Map<String, String> environment, boolean ownNetwork) {
    var builder = new ProcessBuilder(found.probeCommand(ownNetwork));
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      var process = builder.start();
      if (process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue() == 0;
      }
      process.destroyForcibly();
      return false;
    } catch (IOException _) {
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
