/// The front door: takes requests for the surfaces, answers only after what they say is on
/// disk, and
/// tells whether the process is well.
@NullMarked
package dev.runnel.web;

import org.jspecify.annotations.NullMarked;
