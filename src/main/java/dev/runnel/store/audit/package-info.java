/// The audit log: rows that are chained by hashes, their reading, verification and export.
@NullMarked
package dev.runnel.store.audit;

import org.jspecify.annotations.NullMarked;
