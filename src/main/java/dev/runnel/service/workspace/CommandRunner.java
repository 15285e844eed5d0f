package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Runs programs on behalf of one run: whoever stops the run, or its start deadline, ends them.
public interface CommandRunner {
  /// How a program ended.
  ///
  /// @param output its standard output, bounded
  /// @param lastWords its last lines, of both outputs, bounded, without secrets
  record Result(int status, String output, String lastWords) {}

  /// Runs a program of ours, like git.
  ///
  /// @param variables in addition to what git finds in any case
  Result program(List<String> command, Path folder, Map<String, String> variables)
      throws StoppedException, InterruptedException;

  /// Runs a command of the environment by the shell, isolated as agents are, with the variables
  /// that the environment lends.
  Result script(String command, Path folder) throws StoppedException, InterruptedException;

  /// Says to people what it is busy with.
  void tell(String progress);

  /// @throws StoppedException when there is no point in going on
  void check() throws StoppedException;

  /// Whether agents are kept apart, so that they must share no file with the clone cache.
  boolean isIsolated();
}
