package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Something a run made.
///
/// @param artifactType an open enumeration: `PULL_REQUEST`, `PLAN`, `FILE`, …
/// @param data members by type; a pull request has `url` and `branch`
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ArtifactItem(
    @JsonProperty("artifact_type") String artifactType,
    @JsonProperty("created_at") @Nullable Instant createdAt,
    @JsonProperty("data") @Nullable JsonNode data) {}
