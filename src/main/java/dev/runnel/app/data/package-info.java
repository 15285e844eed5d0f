/// The commands about what is stored: audit, backup, restore, forget, freeze.
@NullMarked
package dev.runnel.app.data;

import org.jspecify.annotations.NullMarked;
