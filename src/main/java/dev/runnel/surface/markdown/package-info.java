/// Markdown: parses the text of agents for other formats, and reduces the text of people to its
/// visible part.
@NullMarked
package dev.runnel.surface.markdown;

import org.jspecify.annotations.NullMarked;
