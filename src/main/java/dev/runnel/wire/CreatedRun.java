package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The answer to a creation (the interface's `RunAgentResponse`). The session link comes later,
/// with the run.
///
/// @param taskId the run id again, for old clients
/// @param atCapacity whether the run waits for a free place
/// @param more what this version does not know, as it came
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CreatedRun(
    @JsonProperty("run_id") String runId,
    @JsonProperty("state") RunStateValue state,
    @JsonProperty("task_id") @Nullable String taskId,
    @JsonProperty("at_capacity") @Nullable Boolean atCapacity,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public CreatedRun {
    Copies.requireText(runId, "run_id");
    Objects.requireNonNull(state, "state");
    more = Copies.map(more);
  }
}
