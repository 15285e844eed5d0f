/// What the tables share: records as JSON, and rows that are queued, attempted and finished or
/// parked.
@NullMarked
package dev.runnel.store.row;

import org.jspecify.annotations.NullMarked;
