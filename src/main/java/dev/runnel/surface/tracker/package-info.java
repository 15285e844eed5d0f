/// What is the same on every issue tracker. Start with [TrackerSurface], which does the work, and
/// [Tracker], which says what differs.
@NullMarked
package dev.runnel.surface.tracker;

import org.jspecify.annotations.NullMarked;
