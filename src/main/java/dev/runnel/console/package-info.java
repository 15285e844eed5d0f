/// The pages people open in a browser: all runs, one run with its transcript, both live. They read
/// through the store and act as a surface, [dev.runnel.console.ConsoleSurface], by the same door
/// as everybody. Who may look is decided by [dev.runnel.console.ConsoleAuthentication]; the pages
/// are templates in `src/main/jte`.
@NullMarked
package dev.runnel.console;

import org.jspecify.annotations.NullMarked;
