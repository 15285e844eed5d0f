/// Transcripts of runs, and their views for pages: in steps, with links, and escaped.
@NullMarked
package dev.runnel.console.transcript;

import org.jspecify.annotations.NullMarked;
