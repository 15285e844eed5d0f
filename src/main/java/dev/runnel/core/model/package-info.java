/// The core's values: conversations, deliveries, runs, updates. Records and sealed types that
/// validate themselves; no I/O, no framework.
@NullMarked
package dev.runnel.core.model;

import org.jspecify.annotations.NullMarked;
