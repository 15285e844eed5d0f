/// The one budget of memory: [MemoryBudget] divides the heap into shares, and everything that waits
/// in memory on behalf of others takes its bytes from a [Share] as a [Lease], so that the sum of
/// all limits stays below the heap.
@NullMarked
package dev.runnel.memory;

import org.jspecify.annotations.NullMarked;
