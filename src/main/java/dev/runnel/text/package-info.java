/// Pure functions that make text of others safe to keep, to show and to log. The embedded service
/// and the bot both need them, and neither may import the other.
@NullMarked
package dev.runnel.text;

import org.jspecify.annotations.NullMarked;
