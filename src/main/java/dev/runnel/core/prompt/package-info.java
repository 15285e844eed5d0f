/// Builds the prompt of a run. [Prompts] puts the request first and adds text of third parties as
/// background, which [BackgroundFormatter] formats and [Fence] delimits, so that an agent can
/// distinguish it from the request. [InvisibleCharacters] removes characters that people cannot
/// see.
@NullMarked
package dev.runnel.core.prompt;

import org.jspecify.annotations.NullMarked;
