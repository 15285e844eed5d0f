package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The response to a dispatch. The run is an ordinary run.
///
/// @param foremanAgent name of the agent that receives the work
/// @param runUrl the page of the run for people
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DispatchedRun(
    @JsonProperty("run_id") String runId,
    @JsonProperty("state") RunStateValue state,
    @JsonProperty("factory_uid") @Nullable String factoryUid,
    @JsonProperty("foreman_agent") @Nullable JsonNode foremanAgent,
    @JsonProperty("ticket_ref") @Nullable String ticketRef,
    @JsonProperty("run_url") @Nullable String runUrl,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public DispatchedRun {
    DefensiveCopies.requireText(runId, "run_id");
    Objects.requireNonNull(state, "state");
    more = DefensiveCopies.map(more);
  }
}
