/// Processes the output of a working agent: transcript lines, questions, evidence, costs,
/// permission requests and the messages that it reads.
@NullMarked
package dev.runnel.service.output;

import org.jspecify.annotations.NullMarked;
