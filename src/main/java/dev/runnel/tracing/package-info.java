/// Traces of deliveries, by OpenTelemetry. Off unless an OTLP endpoint is configured.
@NullMarked
package dev.runnel.tracing;

import org.jspecify.annotations.NullMarked;
