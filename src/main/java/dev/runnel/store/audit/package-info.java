/// The audit log: rows in a chain of hashes, which can be read, verified and exported.
@NullMarked
package dev.runnel.store.audit;

import org.jspecify.annotations.NullMarked;
