/// Builds the prompt of a run. [Prompts] puts the request first and adds what other people wrote as
/// background, which [Surroundings] formats and [Fence] delimits, so that an agent can tell it from
/// the request. [Visible] removes characters that people cannot see.
@NullMarked
package dev.runnel.core.prompt;

import org.jspecify.annotations.NullMarked;
