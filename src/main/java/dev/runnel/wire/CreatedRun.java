package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/// The answer to a creation (the interface's `RunAgentResponse`).
///
/// @param taskId the run id again, for old clients
/// @param atCapacity whether the run waits for a free place
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CreatedRun(
    @JsonProperty("run_id") String runId,
    @JsonProperty("state") RunStateValue state,
    @JsonProperty("task_id") @Nullable String taskId,
    @JsonProperty("at_capacity") @Nullable Boolean atCapacity) {}
