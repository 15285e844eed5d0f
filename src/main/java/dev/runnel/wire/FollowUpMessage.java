package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/// The body of `POST /agent/runs/{runId}/followups` (the interface's `RunFollowupRequest`).
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FollowUpMessage(
    @JsonProperty("message") @Nullable String message,
    @JsonProperty("mode") @Nullable String mode) {}
