/// Connects the core to the client of the Agent Run API. Only this package maps the nine wire
/// states to the core's seven, and the client's exceptions to results that the core works with:
/// [dev.runnel.core.model.run.Outcome] and [dev.runnel.core.model.run.RunListing].
@NullMarked
package dev.runnel.runs;

import org.jspecify.annotations.NullMarked;
