package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The status message of a run (the API's `RunStatusMessage`).
///
/// @param errorCode why the run failed
/// @param retryable whether a new run may succeed
/// @param sessionDebugUntil until when the environment of a failed run can be inspected
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StatusMessage(
    @JsonProperty("message") @Nullable String message,
    @JsonProperty("error_code") @Nullable ErrorCode errorCode,
    @JsonProperty("retryable") @Nullable Boolean retryable,
    @JsonProperty("session_debug_until") @Nullable Instant sessionDebugUntil,
    @JsonProperty("debug_agent_active") @Nullable Boolean debugAgentActive,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public StatusMessage {
    more = DefensiveCopies.map(more);
  }
}
