/// What the tables share: their statements, records as JSON, and the tables that are queues.
@NullMarked
package dev.runnel.store.row;

import org.jspecify.annotations.NullMarked;
