package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An event in the history of a run.
///
/// @param payload JSON whose shape depends on the type
/// @param executionId the execution that it belongs to, if any
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TimelineEvent(
    @JsonProperty("event_uuid") @Nullable String eventUuid,
    @JsonProperty("run_id") @Nullable String runId,
    @JsonProperty("event_type") @Nullable TimelineEventType eventType,
    @JsonProperty("occurred_at") @Nullable Instant occurredAt,
    @JsonProperty("payload") @Nullable JsonNode payload,
    @JsonProperty("execution_id") @Nullable Long executionId,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public TimelineEvent {
    more = DefensiveCopies.map(more);
  }
}
