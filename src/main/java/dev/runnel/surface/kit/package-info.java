/// What two surfaces or more share: signatures, HTTP with JSON. Code moves here when a second
/// surface
/// needs it, not before.
@NullMarked
package dev.runnel.surface.kit;

import org.jspecify.annotations.NullMarked;
