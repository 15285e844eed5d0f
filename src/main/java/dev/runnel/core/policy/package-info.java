/// Who may do what, as the operator configured it: a [Policy] of groups and rules decides each
/// [AccessRequest] with a [Verdict]. Without effects.
@NullMarked
package dev.runnel.core.policy;

import org.jspecify.annotations.NullMarked;
