/// Removes secrets at the ports: [RedactedRuns] stands before the run service and [RedactedSurface]
/// before a platform. Both use [TextMapping], which changes the text of a value and keeps
/// everything else.
@NullMarked
package dev.runnel.core.redact;

import org.jspecify.annotations.NullMarked;
