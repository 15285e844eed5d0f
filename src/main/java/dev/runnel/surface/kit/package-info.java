/// What several surfaces share: signatures, HTTP with JSON, and all that is the same on every issue
/// tracker. Code moves here when a second surface needs it, not before. Start with
/// [TrackerSurface].
@NullMarked
package dev.runnel.surface.kit;

import org.jspecify.annotations.NullMarked;
