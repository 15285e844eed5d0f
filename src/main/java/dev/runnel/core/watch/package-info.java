/// Polling. [Watcher] lists the runs that changed and posts updates to their conversations;
/// [MissedDeliveryPoller] asks the platforms for messages that were sent while Runnel was not
/// reachable; [ScheduleStarter] turns due schedules into deliveries.
@NullMarked
package dev.runnel.core.watch;

import org.jspecify.annotations.NullMarked;
