/// What happens to a message between the ports: the pure parts that decide ([Grammar], Planner,
/// Changes, the schedules) and the three workers that act (Dispatcher, Watcher, Courier).
@NullMarked
package dev.runnel.core.flow;

import org.jspecify.annotations.NullMarked;
