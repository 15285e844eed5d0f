/// One way to the two databases: SQLite in a file, PostgreSQL by address. Same SQL for both:
/// times are
/// epoch microseconds, documents are JSON text, `ON CONFLICT` decides races.
@NullMarked
package dev.runnel.database;

import org.jspecify.annotations.NullMarked;
