/// Durable storage in SQL: [SqlStore] stores deliveries, bindings and notices,
/// [ConversationScheduler] gives each conversation's rows to one worker at a time. A small cache of
/// bindings saves reads; the tables are authoritative.
@NullMarked
package dev.runnel.store;

import org.jspecify.annotations.NullMarked;
