/// Text that reads the same on every platform: [RunTexts] has the sentences about a run,
/// [StopTexts] those about its cancellation, [AnswerFormatter] the answers in rows, and
/// [DeliveryHistory] the explanation of what was decided about a message. Everything here returns
/// values; the platforms render them.
@NullMarked
package dev.runnel.core.text;

import org.jspecify.annotations.NullMarked;
