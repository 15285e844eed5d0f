package dev.runnel.client;

import dev.runnel.wire.RunItem;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/// Options for waiting for a run. Immutable: each method returns a changed copy.
///
/// @param deadline maximum wait; empty for no limit
/// @param throughBlocked whether to continue waiting while the run is blocked
/// @param since ignores an end at or before this time
/// @param sessionPatience how long to wait for a session link after the end
/// @param progress receives the run after each change, on the waiting thread
public record WaitOptions(
    Optional<Duration> deadline,
    boolean throughBlocked,
    Optional<Instant> since,
    Duration sessionPatience,
    Consumer<RunItem> progress) {
  /// Waits without limit until the run has ended or is blocked.
  public static final WaitOptions USUAL =
      new WaitOptions(Optional.empty(), false, Optional.empty(), Duration.ofSeconds(5), run -> {});

  /// Limits the wait, which then fails with [RunsException.TimedOut].
  public WaitOptions atMost(Duration deadline) {
    RequestOptions.requirePositive(deadline);
    return new WaitOptions(Optional.of(deadline), throughBlocked, since, sessionPatience, progress);
  }

  /// Waits until the run has ended, also while it is blocked.
  public WaitOptions untilEnded() {
    return new WaitOptions(deadline, true, since, sessionPatience, progress);
  }

  /// For an ended run that a follow-up starts again: ignores its earlier end.
  ///
  /// @param before the run as read before the follow-up
  public WaitOptions after(RunItem before) {
    return new WaitOptions(
        deadline,
        throughBlocked,
        Optional.ofNullable(before.updatedAt()),
        sessionPatience,
        progress);
  }

  /// @param patience how long to wait for a session link after the end; zero not to wait; default:
  ///   5 seconds
  public WaitOptions sessionPatience(Duration patience) {
    return new WaitOptions(deadline, throughBlocked, since, patience, progress);
  }

  /// @param progress receives the run after each change, including the last one; a change of
  ///   `run_time` alone does not count
  public WaitOptions onProgress(Consumer<RunItem> progress) {
    return new WaitOptions(deadline, throughBlocked, since, sessionPatience, progress);
  }
}
