package dev.runnel.console.numbers;

import java.time.Duration;

/// The median and the 95th percentile of durations, by nearest rank: values that occurred.
public record Percentiles(Duration median, Duration p95) {}
