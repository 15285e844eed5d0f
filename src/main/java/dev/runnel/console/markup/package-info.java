/// Markdown of agents as safe HTML.
@NullMarked
package dev.runnel.console.markup;

import org.jspecify.annotations.NullMarked;
