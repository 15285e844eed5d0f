/// The bridge between the core and the Agent Run API's client. Only here do the wire's nine
/// states become seven, and the client's exceptions answers that the core works with:
/// [dev.runnel.core.model.Outcome] and [dev.runnel.core.model.RunListing].
@NullMarked
package dev.runnel.runs;

import org.jspecify.annotations.NullMarked;
