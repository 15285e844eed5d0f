package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/// The answer to a follow-up. Older services answer with an empty object.
///
/// @param followUpId null when the message was added to the prompt
/// @param outcome `queued_prompt`, `live_session`, `handoff_execution` or `queue_pending`
public record FollowUpAccepted(
    @JsonProperty("followup_id") @Nullable String followUpId,
    @JsonProperty("outcome") @Nullable String outcome) {}
