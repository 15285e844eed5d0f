package dev.runnel.core.dispatch;

/// How deliveries are processed, as the operator wants it.
///
/// @param sameIssue for requests about an issue that has a run already
public record DispatchOptions(SameIssue sameIssue) {
  public static final DispatchOptions USUAL = new DispatchOptions(SameIssue.ASK);
}
