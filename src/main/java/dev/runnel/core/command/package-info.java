/// What people type, turned into an [dev.runnel.core.model.Intent]: [MessageParser] decides whether
/// a text is a command or work for an agent, and [CommandParser] reads the commands.
/// [InlineOptions] takes options out of a prompt, and [CommandSuggestion] suggests the command that
/// a mistyped word was meant to be. Everything here is pure.
@NullMarked
package dev.runnel.core.command;

import org.jspecify.annotations.NullMarked;
