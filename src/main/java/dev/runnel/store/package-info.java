/// Durable storage in SQL: [SqlStore] stores deliveries, bindings and notices,
/// [ConversationWorkers] lets one worker at a time process a conversation's rows. A small cache of
/// bindings saves reads; the tables are authoritative.
@NullMarked
package dev.runnel.store;

import org.jspecify.annotations.NullMarked;
