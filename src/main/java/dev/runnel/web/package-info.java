/// The HTTP server with its limits, and the front door: it takes requests for the surfaces, answers
/// only after what they say is on disk, and tells whether the process is well.
@NullMarked
package dev.runnel.web;

import org.jspecify.annotations.NullMarked;
