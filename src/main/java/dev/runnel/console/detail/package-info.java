/// The data on the page of a run beside its transcript.
@NullMarked
package dev.runnel.console.detail;

import org.jspecify.annotations.NullMarked;
