/// The program: its commands, and the server that `./runnel` starts. No other package imports this
/// one.
@NullMarked
package dev.runnel.app;

import org.jspecify.annotations.NullMarked;
