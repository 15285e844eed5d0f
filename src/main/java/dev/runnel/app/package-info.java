/// Wiring and commands. Everything is built here once, by hand; nobody imports this room.
@NullMarked
package dev.runnel.app;

import org.jspecify.annotations.NullMarked;
