/// The surface for any system that can send JSON: each configured hook defines how its sender
/// authenticates and where the prompt is in the body. A hook with a callback URL posts the run's
/// updates there.
@NullMarked
package dev.runnel.surface.hook;

import org.jspecify.annotations.NullMarked;
