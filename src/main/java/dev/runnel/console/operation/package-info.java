/// What operators see of an installation: its health, what its agents may use, its settings, and
/// its policy.
@NullMarked
package dev.runnel.console.operation;

import org.jspecify.annotations.NullMarked;
