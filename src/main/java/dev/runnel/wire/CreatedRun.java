package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The response to the creation of a run (the API's `RunAgentResponse`). The session link is
/// available later, from the run.
///
/// @param taskId the same as the run id, for old clients
/// @param atCapacity whether the run must wait for a free slot
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CreatedRun(
    @JsonProperty("run_id") String runId,
    @JsonProperty("state") RunStateValue state,
    @JsonProperty("task_id") @Nullable String taskId,
    @JsonProperty("at_capacity") @Nullable Boolean atCapacity,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public CreatedRun {
    DefensiveCopies.requireText(runId, "run_id");
    Objects.requireNonNull(state, "state");
    more = DefensiveCopies.map(more);
  }
}
