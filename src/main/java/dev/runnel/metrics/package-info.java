/// Runnel's own metrics, by Micrometer, in the text format of Prometheus.
@NullMarked
package dev.runnel.metrics;

import org.jspecify.annotations.NullMarked;
