package dev.runnel.client;

import dev.runnel.wire.RunItem;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/// How to wait for a run. Immutable: each method answers a changed copy.
///
/// @param deadline how long at most; empty: as long as it takes
/// @param throughBlocked whether to go on waiting while the run waits for somebody
/// @param since an end that was there at this time already does not count
/// @param sessionPatience how long to look for a session link after the end
/// @param progress is given the run each time it changed, on the waiting thread
public record WaitOptions(
    Optional<Duration> deadline,
    boolean throughBlocked,
    Optional<Instant> since,
    Duration sessionPatience,
    Consumer<RunItem> progress) {
  /// Until it ended or waits for somebody, as long as it takes.
  public static final WaitOptions USUAL =
      new WaitOptions(Optional.empty(), false, Optional.empty(), Duration.ofSeconds(5), _ -> {});

  /// At most so long: then a [RunsException.TimedOut].
  public WaitOptions atMost(Duration deadline) {
    RequestOptions.requirePositive(deadline);
    return new WaitOptions(Optional.of(deadline), throughBlocked, since, sessionPatience, progress);
  }

  /// Until it ended, also through the times it waits for somebody.
  public WaitOptions untilEnded() {
    return new WaitOptions(deadline, true, since, sessionPatience, progress);
  }

  /// For a run that was ended, and is to be worked on anew by a follow-up: its earlier end does not
  /// count.
  ///
  /// @param before the run as it was read before the follow-up
  public WaitOptions after(RunItem before) {
    return new WaitOptions(
        deadline,
        throughBlocked,
        Optional.ofNullable(before.updatedAt()),
        sessionPatience,
        progress);
  }

  /// @param patience how long a link may come late, after the end; zero for not at all; 5 s unless
  ///     told
  public WaitOptions sessionPatience(Duration patience) {
    return new WaitOptions(deadline, throughBlocked, since, patience, progress);
  }

  /// @param progress is given the run each time it changed, the last time included; time that it
  ///     spends working is no change
  public WaitOptions onProgress(Consumer<RunItem> progress) {
    return new WaitOptions(deadline, throughBlocked, since, sessionPatience, progress);
  }
}
