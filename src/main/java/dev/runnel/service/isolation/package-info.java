/// Isolates agents and setup commands from the rest of the machine. An [Isolation] wraps their
/// command: [Bubblewrap], a [Container], or none. [Isolations] chooses the one that the settings
/// request and the machine supports.
@NullMarked
package dev.runnel.service.isolation;

import org.jspecify.annotations.NullMarked;
