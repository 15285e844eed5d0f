/// Transcripts of runs, and how pages show them: in steps, with links and without markup of others.
@NullMarked
package dev.runnel.console.transcript;

import org.jspecify.annotations.NullMarked;
