package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Names, not values, of the managed secrets that agents use to sign in.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HarnessAuthSecrets(
    @JsonProperty("claude_auth_secret_name") @Nullable String claudeAuthSecretName,
    @JsonProperty("codex_auth_secret_name") @Nullable String codexAuthSecretName,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public HarnessAuthSecrets {
    more = DefensiveCopies.map(more);
  }
}
