/// Wiring and commands. Everything is built here once, by hand; no other package imports this one.
@NullMarked
package dev.runnel.app;

import org.jspecify.annotations.NullMarked;
