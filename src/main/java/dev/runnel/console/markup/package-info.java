/// Markdown of agents as HTML that cannot act.
@NullMarked
package dev.runnel.console.markup;

import org.jspecify.annotations.NullMarked;
