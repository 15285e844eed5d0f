/// The core's messages: deliveries, their intents, the plans for them, and the updates to post.
/// Records and sealed types that validate themselves; no I/O, no framework.
@NullMarked
package dev.runnel.core.model;

import org.jspecify.annotations.NullMarked;
