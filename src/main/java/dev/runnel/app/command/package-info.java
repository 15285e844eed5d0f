/// The command line: its parts, its completions, and the commands that a running server answers.
@NullMarked
package dev.runnel.app.command;

import org.jspecify.annotations.NullMarked;
