/// The examples of `docs/client.md`, from where a user of the client stands: another package. What
/// is between `// guide: NAME` and `// end` is the block of the document, and `ClientGuideTest`
/// runs every one.
@NullMarked
package dev.runnel.client.guide;

import org.jspecify.annotations.NullMarked;
