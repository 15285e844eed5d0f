package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A connected self-hosted worker.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Worker(
    @JsonProperty("worker_host") @Nullable String workerHost,
    @JsonProperty("connection_count") @Nullable Integer connectionCount,
    @JsonProperty("connected_at") @Nullable Instant connectedAt,
    @JsonProperty("last_seen_at") @Nullable Instant lastSeenAt,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Worker {
    more = DefensiveCopies.map(more);
  }
}
