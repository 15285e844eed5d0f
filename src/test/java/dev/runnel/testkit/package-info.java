/// What tests share: one hand-written fake a port, the contracts that fake and real both pass, and
/// the real outside parts as processes.
@NullMarked
package dev.runnel.testkit;

import org.jspecify.annotations.NullMarked;
