/// Redacts secrets at the ports: [RedactedRuns] wraps the run service, [RedactedCatalog] its list
/// of runs, and [RedactedSurface] a platform. They use [TextMapping], which changes the texts in a
/// value and keeps everything else.
@NullMarked
package dev.runnel.core.redact;

import org.jspecify.annotations.NullMarked;
