package dev.runnel.client;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/// The outcome of one attempt to send a request.
///
/// @param action the purpose of the request: `read run 7`
/// @param method HTTP method
/// @param path path of the URL, without the query
/// @param number 1-based number of the attempt
/// @param status status of the response; empty if there was none
/// @param failure why there was no response, or the error that the response describes; empty for a
///   2xx response
/// @param elapsed duration of this attempt alone
/// @param next delay before the next attempt; empty if this was the last
public record Attempt(
    String action,
    String method,
    String path,
    int number,
    OptionalInt status,
    Optional<RunsException> failure,
    Duration elapsed,
    Optional<Duration> next) {}
