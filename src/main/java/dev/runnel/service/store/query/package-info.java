/// Lists of runs as SQL: filters, order and cursors.
@NullMarked
package dev.runnel.service.store.query;

import org.jspecify.annotations.NullMarked;
