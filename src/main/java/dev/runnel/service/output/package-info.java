/// What the output of a working agent becomes: transcript lines, questions, evidence, costs, and
/// messages that it reads.
@NullMarked
package dev.runnel.service.output;

import org.jspecify.annotations.NullMarked;
