/// Who visits the console, and what its forms may do: sign-in, sessions, permissions, and the
/// console as a surface.
@NullMarked
package dev.runnel.console.access;

import org.jspecify.annotations.NullMarked;
