package dev.runnel.service.run;

/// How far agents may reach. Nobody is there to be asked, so it is decided beforehand.
public enum AgentAccess {
  /// What a coding agent needs, within what its own sandbox can do: any command, the network, and
  /// writing in its workspace.
  WORKSPACE,
  /// Everything that the user can do under whom Runnel runs; for machines that are a sandbox.
  FULL
}
