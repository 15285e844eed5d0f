/// Traces of the way of messages, by OpenTelemetry. Off unless the operator names a receiver.
@NullMarked
package dev.runnel.tracing;

import org.jspecify.annotations.NullMarked;
