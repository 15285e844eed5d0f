/// The running server: builds everything by hand from the settings, and stops it in reverse order.
@NullMarked
package dev.runnel.app.server;

import org.jspecify.annotations.NullMarked;
