package dev.runnel.client;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/// One try of a request, as it ended.
///
/// @param action what the request is for: `read run 7`
/// @param method of HTTP
/// @param path without the query
/// @param number 1, 2, …
/// @param status of the answer, where there was one
/// @param failure why there was no answer, or what kind of no it was; empty for one of the 200s
/// @param elapsed of this try alone
/// @param next when it is tried again; empty when this was the last
public record Attempt(
    String action,
    String method,
    String path,
    int number,
    OptionalInt status,
    Optional<RunsException> failure,
    Duration elapsed,
    Optional<Duration> next) {}
