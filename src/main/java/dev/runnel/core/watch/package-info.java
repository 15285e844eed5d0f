/// Polls for what is not pushed. [Watcher] lists the runs that changed and posts updates to their
/// conversations; [MissedDeliveryPoller] asks the platforms for messages that were sent while we
/// were not reachable.
@NullMarked
package dev.runnel.core.watch;

import org.jspecify.annotations.NullMarked;
