package dev.runnel.service.workspace;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Runs programs on behalf of one run. Stopping the run, or its start deadline, ends them.
public interface CommandRunner {
  /// How a program ended.
  ///
  /// @param output standard output, limited in size
  /// @param lastLines the last lines of standard output and standard error, limited and without
  ///   secrets
  record Result(int status, String output, String lastLines) {}

  /// Runs a trusted program such as git, without isolation.
  ///
  /// @param variables variables in addition to those that git always receives
  Result program(List<String> command, Path folder, Map<String, String> variables)
      throws StoppedException, InterruptedException;

  /// Runs a setup command of the environment by the shell, isolated like an agent, with the
  /// environment's variables.
  Result script(String command, Path folder) throws StoppedException, InterruptedException;

  /// Reports the current activity to people.
  void reportProgress(String progress);

  /// @throws StoppedException if the run was stopped or the start deadline has passed
  void requireNotStopped() throws StoppedException;

  /// Whether agents are separated from Runnel by an isolation or an account, and so must not share
  /// files with the clone cache.
  boolean separatesAgents();
}
