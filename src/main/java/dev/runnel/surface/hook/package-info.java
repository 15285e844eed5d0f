/// Any system that can send JSON: a hook of the configuration says how its sender proves itself and
/// where in the body the prompt is. Whoever sends is told how a run goes on at an address of
/// theirs, if they gave one.
@NullMarked
package dev.runnel.surface.hook;

import org.jspecify.annotations.NullMarked;
