/// What the console's pages show: records for the templates, and the rendering of the templates.
@NullMarked
package dev.runnel.console.view;

import org.jspecify.annotations.NullMarked;
