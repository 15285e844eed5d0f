package dev.runnel.service.run;

/// The permissions that agents run with. They are fixed in advance because nobody is present to
/// answer a permission prompt.
public enum AgentAccess {
  /// What a coding agent needs, as far as its own sandbox can restrict it: any command, the
  /// network, and write access to its workspace.
  WORKSPACE,
  /// Everything that Runnel's operating system user may do; for machines that are sandboxes
  /// themselves.
  FULL
}
