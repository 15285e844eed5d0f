/// Functions that make untrusted text safe to store, show and log, shorten it, or classify it.
/// Shared by the embedded service and the bot, which must not import each other.
@NullMarked
package dev.runnel.text;

import org.jspecify.annotations.NullMarked;
