/// Functions that make external text safe to store, show and log, shorten it, or say what it means.
/// Shared by the embedded service and the bot, neither of which may import the other.
@NullMarked
package dev.runnel.text;

import org.jspecify.annotations.NullMarked;
