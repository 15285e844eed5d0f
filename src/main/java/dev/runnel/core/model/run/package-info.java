/// Runs as the core sees them: the request, the state, and the results such as answers, files and
/// pull requests. Records and sealed types that validate themselves.
@NullMarked
package dev.runnel.core.model.run;

import org.jspecify.annotations.NullMarked;
