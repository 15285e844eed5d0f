/// What the page of one run shows beside its transcript.
@NullMarked
package dev.runnel.console.detail;

import org.jspecify.annotations.NullMarked;
