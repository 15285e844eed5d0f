/// The core's messages: deliveries, what they mean, what is planned for them, and what is posted.
/// Records and sealed types that validate themselves; no I/O, no framework.
@NullMarked
package dev.runnel.core.model;

import org.jspecify.annotations.NullMarked;
