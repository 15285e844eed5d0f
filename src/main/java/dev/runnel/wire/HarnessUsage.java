package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The usage of a run as its harness, Claude Code or Codex, counts it.
///
/// @param available whether the service has it; without it, the usage is unknown, not zero
/// @param usage in the format of the harness
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HarnessUsage(
    @JsonProperty("run_id") @Nullable String runId,
    @JsonProperty("conversation_id") @Nullable String conversationId,
    @JsonProperty("available") boolean available,
    @JsonProperty("usage") @Nullable JsonNode usage,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public HarnessUsage {
    more = DefensiveCopies.map(more);
  }
}
