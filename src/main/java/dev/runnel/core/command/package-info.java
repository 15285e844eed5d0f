/// Parses text into an [dev.runnel.core.model.Intent]: [MessageParser] decides whether a text is a
/// command or a prompt, and [CommandParser] parses the commands. [InlineOptions] extracts the
/// options from a prompt, and [CommandSuggestion] suggests a command for a mistyped word.
/// Everything here is pure.
@NullMarked
package dev.runnel.core.command;

import org.jspecify.annotations.NullMarked;
