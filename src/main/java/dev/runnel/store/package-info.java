/// What outlives a crash, in SQL: [SqlStore] keeps deliveries, bindings and notices, [Engine]
/// gives
/// each conversation's rows to one worker at a time. A small cache stands before the bindings;
/// it is
/// never the truth.
@NullMarked
package dev.runnel.store;

import org.jspecify.annotations.NullMarked;
