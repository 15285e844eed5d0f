package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Settings for models on AWS Bedrock.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AwsInference(
    @JsonProperty("disabled") @Nullable Boolean disabled,
    @JsonProperty("region") @Nullable String region,
    @JsonProperty("role_arn") @Nullable String roleArn,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public AwsInference {
    more = DefensiveCopies.map(more);
  }
}
