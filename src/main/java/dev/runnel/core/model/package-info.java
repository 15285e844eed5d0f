/// What Runnel talks about: conversations, deliveries, runs, updates. Records and sealed families
/// that check themselves; no I/O, no framework.
@NullMarked
package dev.runnel.core.model;

import org.jspecify.annotations.NullMarked;
