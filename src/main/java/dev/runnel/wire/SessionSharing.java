package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who may look at a session.
///
/// @param publicAccess none of them where only the team may look
/// @param more what this version does not know, as it came
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SessionSharing(
    @JsonProperty("public_access") @Nullable PublicAccess publicAccess,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public SessionSharing {
    more = Copies.map(more);
  }
}
