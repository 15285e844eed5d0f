package dev.runnel.service.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The data of a run that statistics use.
///
/// @param startedAt when it first got a slot
/// @param worked how long agents worked, without the current execution
/// @param environment the requested uid or name; empty if there is none
/// @param model the requested model; empty if there is none
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
