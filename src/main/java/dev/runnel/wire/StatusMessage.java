package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/// What a run says of itself (the interface's `RunStatusMessage`).
///
/// @param errorCode why it failed, a code of [Problem]
/// @param retryable whether a new run may work
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StatusMessage(
    @JsonProperty("message") @Nullable String message,
    @JsonProperty("error_code") @Nullable String errorCode,
    @JsonProperty("retryable") @Nullable Boolean retryable) {}
