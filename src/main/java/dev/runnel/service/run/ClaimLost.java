package dev.runnel.service.run;

/// The execution was ended by another node, which considered this node lost. This process can
/// record nothing more for it.
public final class ClaimLost extends RuntimeException {
  private static final long serialVersionUID = 1;

  public ClaimLost(String runId) {
    super("The execution was ended by another node: run " + runId);
  }
}
