/// The limits of runs: resources, costs, and the order in which they get slots.
@NullMarked
package dev.runnel.service.run.limit;

import org.jspecify.annotations.NullMarked;
