package dev.runnel.core.recovery;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.port.Store.Work;
import java.time.Instant;

/// Holds deliveries that nobody can send again while starts are frozen: Runnel's own reports to
/// runs that have ended. People's messages are refused instead, with the reason.
public final class StartFreeze {
  /// The name of what held deliveries wait for.
  private static final String STARTS = "starts";

  private StartFreeze() {}

  public static boolean isOn(Work work) {
    return work.starts().freeze().isPresent();
  }

  /// Postpones a delivery until the freeze ends. Does not count as an attempt.
  public static void hold(Work work, Delivery delivery, Instant now) {
    work.inbox().replace(delivery);
    work.inbox()
        .postpone(delivery.id(), OutageRecovery.nextCheck(now), "All starts are frozen", STARTS);
  }

  /// Ends the freeze, and makes what it holds due.
  ///
  /// @return false if starts were not frozen
  public static boolean end(Work work) {
    var wasOn = work.starts().unfreeze();
    work.wake(STARTS);
    return wasOn;
  }
}
