/// Records for the templates of the console's pages, and the rendering of the templates.
@NullMarked
package dev.runnel.console.view;

import org.jspecify.annotations.NullMarked;
