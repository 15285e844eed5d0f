package dev.runnel.service.workspace;

/// The preparation of a workspace was stopped.
public final class StoppedException extends Exception {
  private static final long serialVersionUID = 1;

  private final boolean late;

  private StoppedException(boolean late) {
    super(late ? "The start deadline has passed" : "The run was stopped");
    this.late = late;
  }

  /// The run was cancelled, or the service stops.
  public static StoppedException requested() {
    return new StoppedException(false);
  }

  /// The start deadline has passed.
  public static StoppedException late() {
    return new StoppedException(true);
  }

  public boolean isLate() {
    return late;
  }
}
