/// Deletion of old runs and workspaces, and free space for the database.
@NullMarked
package dev.runnel.service.cleanup;

import org.jspecify.annotations.NullMarked;
