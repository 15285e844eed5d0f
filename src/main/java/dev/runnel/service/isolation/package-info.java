/// Keeps agents and setup commands apart from the rest of the machine. An [Isolation] puts a
/// command before theirs: [Bubblewrap], a [Container], or none. [Isolations] chooses the one that
/// the settings ask for and the machine has.
@NullMarked
package dev.runnel.service.isolation;

import org.jspecify.annotations.NullMarked;
