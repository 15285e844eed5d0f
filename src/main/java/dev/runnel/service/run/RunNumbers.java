package dev.runnel.service.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// A run as statistics count it.
///
/// @param startedAt when it first got a slot
/// @param worked how long agents worked, without an execution that goes on
/// @param environment the uid or the name that was asked for; empty if none was
/// @param model empty if none was asked for
/// @param usage empty if the agent reported none
public record RunNumbers(
    Instant createdAt,
    Optional<Instant> startedAt,
    Duration worked,
    ExecutionState state,
    String source,
    String environment,
    String model,
    Optional<Usage> usage) {}
