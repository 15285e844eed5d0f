/// Text that reads the same on every platform: [Words] has the sentences about a run, [StopWords]
/// those about its cancellation, [Sheets] the answers in rows, and [Traces] the explanation of what
/// was decided about a message. Everything here returns values; the platforms render them.
@NullMarked
package dev.runnel.core.text;

import org.jspecify.annotations.NullMarked;
