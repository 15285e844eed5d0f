package dev.runnel.service.run;

/// An execution that this process worked on was ended without it, because its node was taken for
/// lost. Whatever it still wanted to record has no effect.
public final class ClaimLost extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ClaimLost(String runId) {
    super("The execution was ended by another node: run " + runId);
  }
}
