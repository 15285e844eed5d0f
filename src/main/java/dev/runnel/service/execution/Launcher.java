package dev.runnel.service.execution;

import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.RunningProcess;
import dev.runnel.service.process.AgentProcess;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.run.ExecutionRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Starts the agents and setup commands of executions where the isolation runs them.
///
/// @param speaksAlone whether what the program starts must not open its input and output by path
record Launcher(Spawner spawner, Isolation isolation, boolean speaksAlone) {
  /// @param place empty to start it on this machine without isolation
  /// @param folder the working directory
  /// @param environment the complete environment; nothing is inherited
  /// @throws IOException if the program cannot be started
  /// @throws Spawner.NoResourcesException see [AgentProcess#start]
  RunningProcess start(
      ExecutionRequest request,
      List<String> command,
      Optional<Isolation.Place> place,
      Path folder,
      Map<String, String> environment,
      String input,
      RunningProcess.Sink sink)
      throws IOException {
    if (place.isPresent() && isolation instanceof Isolation.Remote remote) {
      return remote.start(command, place.get(), environment, input, sink);
    }
    var wrapped =
        place.isPresent() && isolation instanceof Isolation.Local local
            ? local.wrap(command, place.get())
            : command;
    var channel =
        speaksAlone && isolation instanceof Isolation.Local local && local.needsSocket()
            ? Spawner.Channel.SOCKET
            : Spawner.Channel.PIPE;
    return AgentProcess.start(spawner, request, wrapped, folder, environment, input, channel, sink);
  }
}
