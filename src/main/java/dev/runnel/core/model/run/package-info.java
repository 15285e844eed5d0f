/// Runs as the core sees them: what is asked of a run, its state, and what it leaves behind.
/// Records and sealed types that validate themselves.
@NullMarked
package dev.runnel.core.model.run;

import org.jspecify.annotations.NullMarked;
