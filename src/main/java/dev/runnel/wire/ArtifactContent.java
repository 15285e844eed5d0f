package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An artifact of a run with its content or the URL of it.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ArtifactContent(
    @JsonProperty("artifact_type") @Nullable ArtifactType artifactType,
    @JsonProperty("artifact_uid") @Nullable String artifactUid,
    @JsonProperty("created_at") @Nullable Instant createdAt,
    @JsonProperty("data") @Nullable ArtifactData data,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ArtifactContent {
    more = DefensiveCopies.map(more);
  }
}
