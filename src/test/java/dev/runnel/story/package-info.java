/// The stories of the README, told end to end: Runnel as a process, its platforms as processes, its
/// agents as processes.
@NullMarked
package dev.runnel.story;

import org.jspecify.annotations.NullMarked;
