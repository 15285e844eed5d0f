/// Access to the console: sign-in, sessions, permissions, forms, and the console as a surface.
@NullMarked
package dev.runnel.console.access;

import org.jspecify.annotations.NullMarked;
