package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who may view a session.
///
/// @param publicAccess null if only the team may view it
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SessionSharing(
    @JsonProperty("public_access") @Nullable PublicAccess publicAccess,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public SessionSharing {
    more = DefensiveCopies.map(more);
  }
}
