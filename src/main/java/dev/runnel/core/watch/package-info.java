/// Polls for what nobody delivers. [Watcher] lists the runs that changed and tells their
/// conversations; [MissedDeliveryPoller] asks the platforms for messages that were sent while we
/// were not reachable.
@NullMarked
package dev.runnel.core.watch;

import org.jspecify.annotations.NullMarked;
