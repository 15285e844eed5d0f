/// One interface to two databases: SQLite in a file, PostgreSQL by URL. The SQL is the same for
/// both: times are epoch microseconds, documents are JSON text, `ON CONFLICT` resolves races.
@NullMarked
package dev.runnel.database;

import org.jspecify.annotations.NullMarked;
