/// The pages people open in a browser: all runs, and one run with its transcript, both live. They
/// read through the store and act as a surface, [dev.runnel.console.access.ConsoleSurface], with
/// deliveries like any other. [dev.runnel.console.access.ConsoleAuthentication] decides who has
/// access; the pages are templates in `src/main/jte`.
@NullMarked
package dev.runnel.console;

import org.jspecify.annotations.NullMarked;
