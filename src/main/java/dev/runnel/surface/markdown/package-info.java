/// Markdown: what agents write, parsed for other formats; what people write, reduced to what
/// readers see.
@NullMarked
package dev.runnel.surface.markdown;

import org.jspecify.annotations.NullMarked;
