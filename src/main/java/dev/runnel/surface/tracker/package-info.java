/// The common code of all issue trackers. Start with [TrackerSurface], the common part, and
/// [Tracker], the part that differs.
@NullMarked
package dev.runnel.surface.tracker;

import org.jspecify.annotations.NullMarked;
