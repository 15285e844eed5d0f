package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The response to a follow-up to a conversation.
///
/// @param followUpId null if the message was appended to the prompt
/// @param runId the run that gets the message
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ConversationFollowUpAccepted(
    @JsonProperty("followup_id") @JsonInclude(JsonInclude.Include.ALWAYS)
        @Nullable String followUpId,
    @JsonProperty("outcome") @Nullable FollowUpOutcome outcome,
    @JsonProperty("run_id") @Nullable String runId,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ConversationFollowUpAccepted {
    more = DefensiveCopies.map(more);
  }
}
