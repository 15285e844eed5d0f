/// What several surfaces share: signatures, HTTP with JSON, and the reading of settings. Code moves
/// here when a second surface needs it, not before.
@NullMarked
package dev.runnel.surface.kit;

import org.jspecify.annotations.NullMarked;
